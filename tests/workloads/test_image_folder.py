"""A folder of images is looked over before anybody pays: what cannot be read is named, up to a
limit."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from elastic.errors import InvalidInput
from elastic.workloads.image_folder import MOST_DECODED, images_in, look_over
from tests.workloads.esrgan.builders import write_photographs


def looked_over(folder: Path, *, size: int = 32, most_unreadable: int = 2) -> list[str]:
    return look_over(folder, height=size, width=size, most_unreadable=most_unreadable)


def test_a_sound_folder_is_counted(tmp_path: Path) -> None:
    write_photographs(tmp_path / "below", count=3)
    assert looked_over(tmp_path) == [f"data: 3 images in {tmp_path}"]


def test_images_are_found_in_one_order_below_the_folder_and_hidden_ones_are_none(
    tmp_path: Path,
) -> None:
    for name in ("b/1.JPG", "a/2.png", "c.webp", "a/._2.png", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    assert [os.path.relpath(path, tmp_path) for path in images_in(tmp_path)] == [
        "a/2.png",
        "b/1.JPG",
        "c.webp",
    ]


def test_hidden_folders_are_not_looked_through(tmp_path: Path) -> None:
    write_photographs(tmp_path, count=2)
    write_photographs(tmp_path / ".Trash-1000" / "files", count=3)
    assert looked_over(tmp_path) == [f"data: 2 images in {tmp_path}"]


def test_links_to_folders_are_followed_and_each_folder_is_looked_through_once(
    tmp_path: Path,
) -> None:
    write_photographs(tmp_path / "elsewhere", count=3)
    folder = tmp_path / "photographs"
    write_photographs(folder / "b", count=2)
    (folder / "c").symlink_to(tmp_path / "elsewhere")
    (folder / "a").symlink_to(folder / "b")
    (folder / "b" / "round").symlink_to(folder)
    assert [os.path.relpath(path, folder) for path in images_in(folder)] == [
        "a/0.png",
        "a/1.png",
        "c/0.png",
        "c/1.png",
        "c/2.png",
    ]


def test_folders_that_cannot_be_read_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_photographs(tmp_path, count=2)
    (tmp_path / "lost+found").mkdir()
    closed, opened = {tmp_path / "lost+found"}, os.scandir

    # The tests may run as root, who may read every folder.
    def scandir(path: str) -> object:
        if Path(path) in closed:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return opened(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert looked_over(tmp_path)[1:] == [
        f"data: folders that cannot be read are left out: {tmp_path / 'lost+found'}: Permission denied"
    ]
    closed.add(tmp_path)
    with pytest.raises(
        InvalidInput, match=r"found 0, and folders that cannot be read: .*: Permission denied"
    ):
        looked_over(tmp_path)


def test_unreadable_images_are_named_up_to_a_limit_and_are_an_error_beyond_it(
    tmp_path: Path,
) -> None:
    write_photographs(tmp_path, count=6)
    whole = (tmp_path / "4.png").read_bytes()
    (tmp_path / "3.png").write_bytes(b"not an image")
    (tmp_path / "4.png").write_bytes(whole[: len(whole) // 2])  # its head is sound
    _, left_out = looked_over(tmp_path)
    assert left_out.startswith("data: 2 of 6 images are left out: ")
    assert all(f"{name}.png: wanted an image" in left_out for name in (3, 4))
    with pytest.raises(
        InvalidInput, match=r"wanted at most 1 images that cannot be read, found 2: .*3\.png"
    ) as error:
        looked_over(tmp_path, most_unreadable=1)
    assert "most_unreadable" in str(error.value) and error.value.field == "data"


def test_images_smaller_than_a_crop_are_named(tmp_path: Path) -> None:
    write_photographs(tmp_path, count=3, size=(40, 48))
    (told,) = looked_over(tmp_path, size=44)[1:]
    assert told.startswith("data: 3 of 3 images are smaller than a crop of 44 x 44")
    assert "0.png (48 x 40)" in told


def test_where_fewer_than_two_can_be_read_there_is_nothing_to_train_on(tmp_path: Path) -> None:
    write_photographs(tmp_path, count=2)
    (tmp_path / "1.png").write_bytes(b"not an image")
    with pytest.raises(InvalidInput, match=r"wanted at least two images .* found 1"):
        looked_over(tmp_path)


def test_of_many_images_only_some_are_read_to_the_end(tmp_path: Path) -> None:
    (first,) = write_photographs(tmp_path / "one", count=1).iterdir()
    (tmp_path / "many").mkdir()
    for number in range(2 * MOST_DECODED):
        os.link(first, tmp_path / "many" / f"{number:04d}.png")
    torn = tmp_path / "many" / "0001.png"
    torn.unlink()
    torn.write_bytes(first.read_bytes()[:200])
    assert looked_over(tmp_path / "many") == [f"data: 200 images in {tmp_path / 'many'}"]
