"""The rules as text for players, composed from the options of a game.

Each value of an option has its own text, which is inserted into the text common to all rules. A new
ruleset needs no new text, a new value needs one entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.rules import (
    Avoiding,
    AvoidOrder,
    Bonus,
    Degradation,
    Draw,
    LossCounts,
    Overkill,
    Terms,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.rules import Options


class Section(NamedTuple):
    """A heading of the rulebook and the paragraphs below it."""

    heading: str
    paragraphs: tuple[str, ...]


_MAY_AVOID = (
    "Instead of facing a room you may {terms.to_avoid} it, provided that it holds exactly four "
    "cards and you have not faced any of them this turn.\n"
    "All four go to the bottom of the dungeon, and a new turn begins. {avoid_order} They are not "
    "gone: sooner or later they are on top again, and when the dungeon is all but empty most of "
    "them are back at once.\n"
)
_AVOID_LIMIT = (
    "One game lets you {terms.to_avoid} at most 40 rooms. The last room of a game has only two "
    "cards, so there is no way round that one."
)
_HEALS = (
    "A potion gives you back its value in {terms.health}, but never takes you above "
    "{options.health}: what is too much is lost. Then it goes to the discard.\n"
)
_FULL_COUNTS = (
    "A potion drunk at full {terms.health} does you no good, and is counted all the same."
)
_DRINKS_ALL = (
    "You never face more than three cards in a turn, so no potion comes too late. One drunk at "
    "full {terms.health} does you no good all the same."
)
_ANY_LAST_POTION = (
    " It makes no difference how much that potion healed, or whether it healed at all. The best "
    "score there can be is {best}."
)

# In the order of Options: a text may include an earlier one, as avoiding includes avoid_order.
_SENTENCES: Mapping[str, Mapping[object, str]] = {
    "degradation": {
        Degradation.LOWER_OR_EQUAL: (
            "From then on it only works on a monster whose value is the same as, or lower than, "
            "that of the last monster laid on it. After a queen (12) it still serves against the "
            "other queen, but no longer against a king (13)."
        ),
        Degradation.LOWER: (
            "From then on it only works on a monster whose value is strictly lower than that of "
            "the last monster laid on it. After a queen (12) it still serves against a jack (11), "
            "but no longer against the other queen."
        ),
    },
    "avoid_order": {
        AvoidOrder.KEPT: (
            "There they keep the order they had in the room: the leftmost will come back first."
        ),
        AvoidOrder.SHUFFLED: (
            "They are shuffled on the way: you know which cards are down there, but not in which "
            "order they will come back."
        ),
    },
    "avoiding": {
        Avoiding.NOT_TWICE: _MAY_AVOID
        + "You may not {terms.to_avoid} two rooms in a row: the very next one has to be faced. "
        + _AVOID_LIMIT,
        Avoiding.NEVER: (
            "There is no turning back in this dungeon: you may not {terms.to_avoid} any room. "
            "Whatever turns up has to be faced."
        ),
        Avoiding.ALWAYS: _MAY_AVOID
        + "You may {terms.to_avoid} several rooms in a row if you like. "
        + _AVOID_LIMIT,
    },
    "draw": {
        Draw.AUTO: "The cards turn up by themselves, so you always decide with all of them open.",
        Draw.MANUAL: (
            "You turn the cards up yourself, one by one, and until that is done you can do "
            "nothing else."
        ),
    },
    "potions_per_turn": {
        0: (
            "Every bottle in this dungeon is stale. Facing a potion only clears it away: it goes "
            "to the discard and heals nothing."
        ),
        1: _HEALS
        + "Only the first potion you face in a turn works. Any further one is used up and "
        "discarded like the first, but heals nothing. " + _FULL_COUNTS,
        2: _HEALS
        + "Only the first two potions you face in a turn work. A third is used up and discarded "
        "like them, but heals nothing. " + _FULL_COUNTS,
        3: _HEALS + "As many as three potions work in a turn. " + _DRINKS_ALL,
        4: _HEALS + "As many as four potions would work in a turn. " + _DRINKS_ALL,
    },
    "leave": {
        0: (
            "You win as soon as the dungeon is empty and no card is left in the room. The last "
            "room is always two cards, and you have to face both of them, in one turn."
        ),
        1: (
            "You win as soon as the dungeon is empty and no more than one card is left in the "
            "room. The last room is always two cards: pick one, survive it, and you are out. The "
            "other stays where it is."
        ),
        2: (
            "You win as soon as the dungeon is empty and no more than two cards are left in the "
            "room. The last room is always two cards, so the game is won the moment both lie "
            "open, and you face neither."
        ),
    },
    "bonus": {
        Bonus.FULL_AFTER: (
            "There is a bonus for a rich ending: if the last card you faced was a potion and your "
            "{terms.health} is full after it, the value of that potion is added." + _ANY_LAST_POTION
        ),
        Bonus.FULL_BEFORE: (
            "There is a bonus for a rich ending: if the last card you faced was a potion and your "
            "{terms.health} was full already before it, the value of that potion is added."
            + _ANY_LAST_POTION
        ),
        Bonus.NONE: (
            "Nothing is added to it, whichever card came last, so the best score there can be is "
            "{options.health}."
        ),
    },
    "loss_counts": {
        LossCounts.DUNGEON: (
            "the value of every monster still face down in the dungeon. Monsters that lie open in "
            "the room do not count"
        ),
        LossCounts.DUNGEON_AND_ROOM: (
            "the value of every monster you never faced, those still face down in the dungeon and "
            "those that lie open in the room alike"
        ),
    },
    "overkill": {
        Overkill.COUNTED: (
            "start from your {terms.health} as the last blow left it, which may well be below 0"
        ),
        Overkill.IGNORED: "start from 0, however far below it the last blow took you",
    },
}

_BOOK: Mapping[str, str] = {
    "The idea": (
        "A pack of cards is the dungeon, and you enter it alone. It holds monsters, weapons to "
        "fight them with, and potions against the damage. Get through all of it alive, with as "
        "much {terms.health} left as you can."
    ),
    "The pack": (
        "Take 44 cards of an ordinary pack of 52: the red aces, the red kings, queens and jacks, "
        "and any jokers stay in the box.\n"
        "The 26 clubs and spades are monsters, the nine diamonds (2 to 10) weapons, the nine "
        "hearts (2 to 10) potions. A number card has the value of its number; among the monsters "
        "a jack is 11, a queen 12, a king 13 and an ace 14.\n"
        "Shuffled and face down, the pack is the dungeon. The cards that lie open before you are "
        "the room. Cards that are done with go to the discard."
    ),
    "{terms.health}": (
        "You start with {options.health} {terms.health}, and you can never have more than that. "
        "When nothing is left of it, you are dead."
    ),
    "The room and the turn": (
        "Every turn begins by filling the room: cards are turned up from the top of the dungeon "
        "until four lie open, or until the dungeon is empty. New cards are laid to the right of "
        "the one that is still there from the turn before. {draw}\n"
        "Then you face the cards of the room, one at a time and in any order you like; the others "
        "keep their places. The next section says whether you may {terms.to_avoid} a room "
        "instead.\n"
        "When one card is left in the room, and there are still cards in the dungeon, the turn is "
        "over. The card that is left becomes the first of the next room. So you face three cards "
        "out of four and choose which one has to wait.\n"
        "Once the dungeon is empty, nothing waits any longer: the turn goes on until the game is "
        "over."
    ),
    "How to {terms.to_avoid} a room": "{avoiding}",
    "Facing a card": (
        "A card you face is dealt with completely before you choose the next. A weapon has to be "
        "taken up, a potion drunk, a monster fought; none of them can be put aside."
    ),
    "Weapons": (
        "You have one weapon at a time. A weapon you face has to be taken up, wanted or not, and "
        "you keep it until you face another: then the old one goes to the discard, and after it "
        "the monsters that lie on it.\n"
        "A weapon is always worth its full value, and a new one works on any monster. But each "
        "monster you slay with it is laid on it. {degradation}\n"
        "What you fight with your bare hands changes nothing about the weapon."
    ),
    "Potions": "{potions_per_turn}",
    "Monsters": (
        "A monster never survives a fight; the question is what it costs you. There are two ways "
        "to fight it.\n"
        "With your bare hands: you lose its full value in {terms.health}, and the monster goes to "
        "the discard. This is always allowed, even with a good weapon in your belt.\n"
        "With your weapon, if it works on that monster: you lose only as much as the monster's "
        "value exceeds the weapon's, and nothing if it does not. The monster is laid on the "
        "weapon.\n"
        "A monster of 10 costs you 10 with your bare hands, and 4 with a weapon of 6. A monster "
        "of 5 costs you nothing with a weapon of 6."
    ),
    "The end of the game": (
        "You die, and the game is lost, the moment your {terms.health} is 0 or below. The monster "
        "that killed you has been faced: it lies where you would have put it, had you lived.\n"
        "{leave}"
    ),
    "Scoring": (
        "If you won, your score is the {terms.health} you have left. {bonus}\n"
        "If you died, {overkill}. Then take off {loss_counts}. The monster that killed you "
        "never counts.\n"
        "A game that is won always scores above 0, and one that is lost never does."
    ),
}

_ORIGINAL_TERMS = Terms()


def rulebook(options: Options, terms: Terms = _ORIGINAL_TERMS) -> tuple[Section, ...]:
    """Return the rules for ``options``, worded with ``terms``.

    >>> from engine.rules import Options
    >>> rulebook(Options(health=7))[2].paragraphs[0]
    'You start with 7 health, and you can never have more than that. When nothing is ...'
    """
    words: dict[str, object] = {"options": options, "terms": terms, "best": options.health + 10}
    values = options._asdict()
    for name, sentences in _SENTENCES.items():
        words[name] = sentences[values[name]].format_map(words)
    return tuple(
        Section(_capital(heading.format_map(words)), tuple(body.format_map(words).split("\n")))
        for heading, body in _BOOK.items()
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
