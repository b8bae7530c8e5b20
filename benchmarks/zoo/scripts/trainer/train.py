"""transformers' Trainer on a tiny GPT-2 with random weights: it saves and resumes its own
checkpoints."""

import os
import time

import torch
from runlog import log, log_saved
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

OUTPUT = "out"


class Words(torch.utils.data.Dataset):
    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        words = torch.arange(index, index + 16) % 64
        return {"input_ids": words, "labels": words}


class Log(TrainerCallback):
    def on_train_begin(self, args, state, control, **kwargs):
        log(f"begins at {state.global_step}")

    def on_step_end(self, args, state, control, **kwargs):
        time.sleep(0.04)  # a larger model
        log(f"at {state.global_step}")

    def on_save(self, args, state, control, **kwargs):
        if state.is_world_process_zero:
            folder = f"{OUTPUT}/checkpoint-{state.global_step}"
            for name in sorted(os.listdir(folder)):
                log_saved(f"{folder}/{name}")


def main():
    log("started")
    config = GPT2Config(vocab_size=64, n_positions=16, n_embd=16, n_layer=1, n_head=2)
    arguments = TrainingArguments(
        output_dir=OUTPUT,
        max_steps=1100,
        per_device_train_batch_size=4,
        save_steps=50,
        logging_steps=100,
        use_cpu=True,
        ddp_backend="gloo",
        report_to=[],
        seed=3,
    )
    trainer = Trainer(
        model=GPT2LMHeadModel(config), args=arguments, train_dataset=Words(), callbacks=[Log()]
    )
    last = get_last_checkpoint(OUTPUT) if os.path.isdir(OUTPUT) else None
    trainer.train(resume_from_checkpoint=last)
    trainer.save_model("final")
    if trainer.is_world_process_zero():
        for name in sorted(os.listdir("final")):
            log_saved(f"final/{name}")
    log("done")


if __name__ == "__main__":
    main()
