"""What the liveness of a job's nodes means for their group: which are cut off, and which stand
still.

Decision 0100 has the rules, and decision 0129 the verdicts that they are made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from elastic.durations import TICK_S
from elastic.figures import duration
from elastic.liveness import LifeSign, Liveness, TimeBound, TimeBounds, quiet_s, turn_bounds
from elastic.model import PARAMOUNT_LINES, AgentState, Mode, Node, NodePhase, Pulse
from elastic.reconciler.world import World

# In units of `standstill_s`: a group whose members all report restarts after 10, and a member of a
# session that trains alone is replaced after 5. A restart costs all that was trained since the last
# checkpoint; a replacement costs only what the lone member trained.
_RESTARTS_AFTER = 10.0
_REPLACED_AFTER = 5.0
# A first turn may take as long as it takes to load data and compile: the alarm comes after 5 times
# `standstill_s`. It comes after 2 times if the generation before this one hung.
_FIRST_TURN = 5.0
_FIRST_TURN_AGAIN = 2.0
# Each generation that hung without any progress doubles the wait, at most this often.
_MOST_DOUBLINGS = 4
# A longest pause is recorded only if it is this many times the known one, because each costs a
# commit.
_NEWS = 1.1
# A group that will count as hanging within this time is looked at again sooner. This is the default
# interval of ticks, which would otherwise pass first.
_SOON_S = TICK_S
# A share of the time for which the others hang. A node that has been silent for longer is cut off,
# and they go on without it. Of two nodes that were cut off at once, one is silent for as long as
# the other stands still. A node that sent heartbeats for long after that may only be slow, for
# example at its first checkpoint, and the others may be waiting for it.
_SILENT_SHARE = 0.5

_UNSEEN = f"if the script trains, let it say so: {PARAMOUNT_LINES}"


@dataclass(frozen=True, slots=True)
class Idle:
    """Something that is paid for and makes no turns, and why: a whole job, or one of its nodes."""

    text: str
    node_id: str | None = None


@dataclass(frozen=True)
class GroupLiveness:
    """Judges the nodes of one job as they stand in a `world`."""

    world: World

    def in_reach(self, nodes: Iterable[Node]) -> list[Node]:
        """Those of `nodes` that have joined and are not known to be cut off."""
        return [
            node for node in nodes if node.phase is NodePhase.JOINED and node.id not in self.cut_off
        ]

    def are_heard(self, nodes: Iterable[Node]) -> bool:
        """Whether each of `nodes` has sent a heartbeat since the daemon could receive any.

        A daemon that was away does not know which nodes were cut off meanwhile. A node that has
        sent nothing since then may not receive its replies either. In a session the members find
        out by themselves.
        """
        return self._is_live or all(
            (node.heartbeat_at_s or 0.0) >= self.world.listening_since_s for node in nodes
        )

    def is_out_of_reach(self, node: Node, *, since_s: float) -> bool:
        """Whether it is cut off, and was before this instant: it has not received what was sent
        then."""
        return node.id in self.cut_off and (node.heartbeat_at_s or 0.0) <= since_s

    @cached_property
    def cut_off(self) -> frozenset[str]:
        """Ids of nodes that have been silent for too long while others of the job send heartbeats.

        None in a session: its members find out by themselves, and train on.
        """
        return self._silent_for(self._patience_s)

    @property
    def is_about_to_be_cut_off(self) -> bool:
        """Whether it will be known in a moment which nodes are cut off.

        That is so while some stand still, or will soon, and another has missed a heartbeat or two.
        """
        # It may soon be cut off if it has missed a heartbeat, and the others do not make turns.
        missed = self._silent_for(self._recent_s)
        is_known = missed == self.cut_off and self._hanging_for_s is not None
        return bool(missed) and not is_known and self._hang_for_s(self._recent, _SOON_S) is not None

    def why_drain(self) -> str | None:
        """Why the members should stop at once; None if they should not."""
        return self._why_wait_is_useless() or self._why_start_again()

    def alone(self) -> dict[Node, str]:
        """The members of a session to replace, with the reason: they train alone."""
        alone_s = _REPLACED_AFTER * self.world.timeouts.standstill_s
        why = f"it trained alone for {duration(alone_s)}, while others went on"
        return dict.fromkeys(self._outside(times=_REPLACED_AFTER), why)

    def idle(self) -> tuple[Idle, ...] | None:
        """Everything of the job whose next turn is long overdue.

        None if that is not known, nor whether turns are made.
        """
        world = self.world
        active = world.active
        if not world.timeouts.standstill_s:
            return ()
        if active is None or active.drain_at_s is not None:
            return None
        # First the whole job: does any member with a recent heartbeat make turns?
        still_s = self._still_for_s(self._heard)
        if still_s is not None:
            silent = sorted(node.id for node in world.members if self._is_silent(node))
            if silent:
                unheard = f"; no heartbeat from {', '.join(silent)}"
            else:
                unheard = ""
            if not world.job.iteration and not self._has_turned:
                text = f"no optimizer step was seen in {duration(still_s)}: {_UNSEEN}{unheard}"
            else:
                text = f"no turn for {duration(still_s)}{unheard}"
            return (Idle(text),)
        # Turns may be made, or not: then nothing is said of single nodes.
        if not self._are_turns_made:
            return None
        return tuple(
            Idle(
                f"{node.id} has made no turn for {duration(node.pulse.still_s)}, while others go "
                "on",
                node.id,
            )
            for node in self._outside()
            if node.pulse is not None
        )

    @property
    def newly_learned_s(self) -> float | None:
        """The job's own longest pause, if every member reports one that is not on record yet.

        A node that was cut off reports none, because it knows that it was.
        """
        learned_s = self._learned_s
        known_s = self.world.longest_pause_s
        if learned_s is None or (known_s is not None and learned_s <= _NEWS * known_s):
            return None
        return learned_s

    # Silence

    @property
    def _is_live(self) -> bool:
        return self.world.job.spec.mode is Mode.LIVE

    @property
    def _recent_s(self) -> float:
        """A node that is silent for longer has missed a heartbeat."""
        return self._missed_s / 2

    @property
    def _missed_s(self) -> float:
        return self.world.timeouts.silence.suspect.least_s

    @property
    def _growth(self) -> float:
        """How much longer than usual to wait: each recent generation that hung doubles it."""
        return 2.0 ** min(self.world.hung, _MOST_DOUBLINGS)

    @cached_property
    def _quiet_s(self) -> Mapping[str, float]:
        """For how many seconds each node has been silent.

        Time in which no heartbeat could arrive does not count.
        """
        world = self.world
        return {
            node.id: quiet_s(
                max(node.heartbeat_at_s or 0.0, world.listening_since_s), world.now_s, world.gaps
            )
            for node in world.nodes
        }

    @cached_property
    def _silences(self) -> Mapping[str, Liveness]:
        """The verdict on each node's silence."""
        signs = {node_id: LifeSign(quiet_s) for node_id, quiet_s in self._quiet_s.items()}
        return self.world.timeouts.silence.judge_all(signs)

    def _is_silent(self, node: Node) -> bool:
        return self._silences[node.id] is Liveness.STALLED

    def _silent_for(self, patience_s: float) -> frozenset[str]:
        """Ids of nodes that have been silent for longer, unless all nodes of the job have."""
        if self._is_live:
            return frozenset()
        speakers = [node.id for node in self.world.living.values() if _has_spoken(node)]
        silent = frozenset(each for each in speakers if self._quiet_s[each] > patience_s)
        if len(silent) < len(speakers):
            return silent
        return frozenset()

    @cached_property
    def _patience_s(self) -> float:
        """How long a node may be silent before it counts as cut off.

        A suspect is given up only while others wait for it, or were just ended because they did.
        """
        generation = self.world.generation
        if generation is not None and generation.hangs:
            return self._missed_s
        stalled_s = self.world.timeouts.silence.stalled.least_s
        if self._hanging_for_s is None:
            return stalled_s
        suspect = TimeBound(self._growth * self._missed_s, times=_SILENT_SHARE, most_s=stalled_s)
        return suspect.after_s(self._hanging_for_s)

    # Turns

    @cached_property
    def _bounds(self) -> TimeBounds:
        return turn_bounds(is_live=self._is_live, standstill_s=self.world.timeouts.standstill_s)

    @cached_property
    def _heard(self) -> list[Node]:
        return [node for node in self.world.members if not self._is_silent(node)]

    @cached_property
    def _recent(self) -> list[Node]:
        return [node for node in self.world.members if self._quiet_s[node.id] <= self._recent_s]

    @cached_property
    def _pulses(self) -> Mapping[str, Pulse]:
        """What agents have reported of turns in this generation, to any daemon."""
        active = self.world.active
        return {
            node.id: node.pulse
            for node in self.world.members
            if active is not None
            and node.pulse is not None
            and node.agent_generation == active.number
        }

    @property
    def _has_turned(self) -> bool:
        return bool(self._pulses)

    @cached_property
    def _told(self) -> list[Pulse]:
        """The same, if no member is gone: one that is gone may have known better."""
        active = self.world.active
        is_whole = active is not None and len(self.world.members) == len(active.node_ids)
        if is_whole:
            return list(self._pulses.values())
        return []

    @cached_property
    def _learned_s(self) -> float | None:
        """The longest pause that every member reports, once each knows its own."""
        known_s = [each.learnt_s for each in self._told if each.learnt_s is not None]
        if known_s and len(known_s) == len(self._told):
            return min(known_s)
        return None

    @cached_property
    def _usual_s(self) -> float:
        """The job's longest pause: what is known of it, or what all members of this generation have
        seen.

        In a pause of the script's own, all of them pause. A member that was cut off does not report
        the pause that a failed link made.
        """
        seen_s = min((each.longest_s for each in self._told), default=0.0)
        known_s = [
            each for each in (self.world.longest_pause_s, self._learned_s) if each is not None
        ]
        # In a job's first minute nothing is known of it, and a pause of a tick is no surprise.
        return max([*(known_s or [TICK_S]), seen_s])

    @cached_property
    def _signs(self) -> Mapping[str, LifeSign]:
        """What the members' agents last reported of turns.

        A report to an earlier daemon says nothing of now.
        """
        since_s = self.world.listening_since_s
        return {
            node.id: LifeSign(self._pulses[node.id].still_s, self._usual_s)
            for node in self.world.members
            if node.id in self._pulses and (node.heartbeat_at_s or 0.0) >= since_s
        }

    @cached_property
    def _turns(self) -> Mapping[str, Liveness]:
        """The verdict on each member's turns, for members with a report."""
        return self._bounds.judge_all(self._signs)

    def _verdicts(self, nodes: Iterable[Node]) -> list[Liveness]:
        return [self._turns[node.id] for node in nodes if node.id in self._turns]

    @cached_property
    def _hanging_for_s(self) -> float | None:
        """For how long the members with a recent heartbeat have hung; None if they do not."""
        return self._hang_for_s(self._recent)

    def _hang_for_s(self, nodes: Sequence[Node], soon_s: float = 0.0) -> float | None:
        """For how long `nodes` have made no turns, if the turns of all that report any are overdue.

        With `soon_s`, also if they will be overdue by then, unless a turn is made.
        """
        signs = [self._signs[node.id] for node in nodes if node.id in self._signs]
        verdicts = self._verdicts(nodes)
        # A node that has stood still for less makes turns, and is not about to stop.
        if soon_s and all(each.quiet_s > self._bounds.suspect.least_s for each in signs):
            verdicts = [
                self._bounds.judge(replace(each, quiet_s=each.quiet_s + soon_s)) for each in signs
            ]
        if not signs or Liveness.ALIVE in verdicts or not _are_to_turn(nodes):
            return None
        return min(each.quiet_s for each in signs)

    def _still_for_s(self, nodes: Sequence[Node], times: float = 1.0) -> float | None:
        """For how long none of `nodes` has made a turn, if that is `times` too long.

        The first turn may take longer, but less so after a generation that hung.
        """
        world = self.world
        signs = [self._signs[node.id] for node in nodes if node.id in self._signs]
        if not world.timeouts.standstill_s or not _are_to_turn(nodes):
            return None
        if signs:
            if any(each is not Liveness.STALLED for each in self._verdicts(nodes)):
                return None
            stalled = self._bounds.stalled.scaled(times)
            are_over = times == 1.0 or all(stalled.is_over(each) for each in signs)
            if are_over:
                return min(each.quiet_s for each in signs)
            return None
        # No member has reported a turn yet: the first one may take longer.
        if self._has_turned or world.active is None:
            return None
        if world.hung:
            first = _FIRST_TURN_AGAIN
        else:
            first = _FIRST_TURN
        age_s = world.now_s - max(world.active.started_at_s, world.listening_since_s)
        if age_s > max(times, first) * world.timeouts.standstill_s:
            return age_s
        return None

    @property
    def _are_turns_made(self) -> bool:
        """Whether all members make turns, or in a session some.

        Reports that a cut-off node had sent before may arrive late.
        """
        are_made = [each is not Liveness.STALLED for each in self._verdicts(self._heard)]
        if self._is_live:
            return any(are_made)
        return bool(are_made) and all(are_made)

    def _outside(self, *, times: float = 1.0) -> list[Node]:
        """Members of a session that have trained alone for `times` too long, while others make
        turns."""
        if not self._is_live or not self.world.timeouts.standstill_s:
            return []
        # Only if some member makes turns, the others can be outside.
        if Liveness.ALIVE not in self._verdicts(self._heard):
            return []
        stalled = self._bounds.stalled.scaled(times)
        outside = []
        for node in self._heard:
            is_stalled = self._turns.get(node.id) is Liveness.STALLED
            if node.agent_state is not AgentState.RUNNING or not is_stalled:
                continue
            # A member may pause for longer than all others, and still go on after that.
            usual_s = max(self._usual_s, self._pulses[node.id].longest_s)
            if stalled.is_over(replace(self._signs[node.id], usual_s=usual_s)):
                outside.append(node)
        return outside

    # What follows for the group

    def _why_wait_is_useless(self) -> str | None:
        """Why members at work would wait for ever, if enough are left to go on without the rest.

        If a node is cut off from the daemon alone, all of them train on, and none waits.
        """
        world = self.world
        active = world.active
        if active is None:
            return None
        # Workers that have ended wait for none.
        at_work = [
            node
            for node in world.members
            if node.exit is None or node.exit.generation != active.number
        ]
        missed = self._silent_for(max(self._patience_s, self._growth * self._missed_s))
        lost = sorted(node.id for node in at_work if node.id in missed)
        rest = [node for node in at_work if node.id not in missed]
        if not lost or len(rest) < world.job.spec.nodes_min:
            return None
        if self._hang_for_s(rest) is not None:
            return f"no heartbeat from {', '.join(lost)}, and the others stand still"
        # A generation without a turn has nothing to lose. But a script that reports none in a whole
        # lease may still make turns.
        have_begun = _are_to_turn(rest) and all(
            node.agent_generation == active.number for node in rest
        )
        is_young = world.now_s - active.started_at_s < world.timeouts.lease_s
        if have_begun and is_young and not self._has_turned:
            return f"no heartbeat from {', '.join(lost)}, and no turn was made yet"
        return None

    def _why_start_again(self) -> str | None:
        """Why the members start again, if all send heartbeats and none makes turns. Never in a
        session.

        Each time that did not help, the next one is twice as far off.
        """
        # A new job may load for as long as it has to.
        is_new = not self.world.hung and not self._has_turned
        is_anybody_silent = len(self._heard) < len(self.world.members)
        if self._is_live or is_new or is_anybody_silent:
            return None
        still_s = self._still_for_s(self.world.members, times=_RESTARTS_AFTER * self._growth)
        if still_s is None:
            return None
        return f"no turn for {duration(still_s)}: the workers restart on the same nodes"


def _are_to_turn(members: Sequence[Node]) -> bool:
    """Whether none of them is done or stores its results, for which the others may be waiting."""
    return all(node.agent_state in (AgentState.STARTING, AgentState.RUNNING) for node in members)


def _has_spoken(node: Node) -> bool:
    return node.phase is NodePhase.JOINED and node.agent_state is not None
