"""How the kills of a seed are drawn, and when they come."""

from __future__ import annotations

from collections import Counter

from bench.kill_victim import corpus
from bench.kills import OF_A_CYCLE, Pace, drawn


def test_the_kills_of_a_seed_are_the_same_and_meet_every_job_and_target_alike() -> None:
    kills = drawn(30, 1)

    assert kills == drawn(30, 1)
    assert kills != drawn(30, 2)
    assert set(Counter((kill.job, kill.target) for kill in kills).values()) == {5}
    assert max(kill.moment for kill in kills) * OF_A_CYCLE < 1


def test_a_moment_is_a_number_of_transactions_and_a_part_of_one() -> None:
    assert Pace(transactions=10, seconds=5.0).until(0.35) == (3, 0.25)


def test_the_conversation_of_a_seed_is_the_same_and_has_long_messages_and_several_sessions() -> None:
    messages = corpus(60, 1)

    assert messages == corpus(60, 1)
    assert [message.external_id for message in messages] == [str(place) for place in range(60)]
    assert len({message.session for message in messages}) == 4
    assert sum(len(message.text.split()) > 120 for message in messages if message.text) == 7
