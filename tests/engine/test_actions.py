from __future__ import annotations

from itertools import combinations

import pytest

from engine import (
    ACTIONS,
    AVOID,
    DRAW,
    PACK,
    Kind,
    UnknownAction,
    UnknownCard,
    card,
    from_log,
    parse_action,
    parse_short,
    to_log,
)

FORMS = """\
0 draw d
1 avoid a
2 fight:2C:barehanded 2Cb
3 fight:2C:weapon 2Cw
4 fight:3C:barehanded 3Cb
5 fight:3C:weapon 3Cw
6 fight:4C:barehanded 4Cb
7 fight:4C:weapon 4Cw
8 fight:5C:barehanded 5Cb
9 fight:5C:weapon 5Cw
: fight:6C:barehanded 6Cb
; fight:6C:weapon 6Cw
< fight:7C:barehanded 7Cb
= fight:7C:weapon 7Cw
> fight:8C:barehanded 8Cb
? fight:8C:weapon 8Cw
@ fight:9C:barehanded 9Cb
A fight:9C:weapon 9Cw
B fight:TC:barehanded TCb
C fight:TC:weapon TCw
D fight:JC:barehanded JCb
E fight:JC:weapon JCw
F fight:QC:barehanded QCb
G fight:QC:weapon QCw
H fight:KC:barehanded KCb
I fight:KC:weapon KCw
J fight:AC:barehanded ACb
K fight:AC:weapon ACw
L fight:2S:barehanded 2Sb
M fight:2S:weapon 2Sw
N fight:3S:barehanded 3Sb
O fight:3S:weapon 3Sw
P fight:4S:barehanded 4Sb
Q fight:4S:weapon 4Sw
R fight:5S:barehanded 5Sb
S fight:5S:weapon 5Sw
T fight:6S:barehanded 6Sb
U fight:6S:weapon 6Sw
V fight:7S:barehanded 7Sb
W fight:7S:weapon 7Sw
X fight:8S:barehanded 8Sb
Y fight:8S:weapon 8Sw
Z fight:9S:barehanded 9Sb
[ fight:9S:weapon 9Sw
\\ fight:TS:barehanded TSb
] fight:TS:weapon TSw
^ fight:JS:barehanded JSb
_ fight:JS:weapon JSw
` fight:QS:barehanded QSb
a fight:QS:weapon QSw
b fight:KS:barehanded KSb
c fight:KS:weapon KSw
d fight:AS:barehanded ASb
e fight:AS:weapon ASw
f equip:2D 2D
g equip:3D 3D
h equip:4D 4D
i equip:5D 5D
j equip:6D 6D
k equip:7D 7D
l equip:8D 8D
m equip:9D 9D
n equip:TD TD
o drink:2H 2H
p drink:3H 3H
q drink:4H 4H
r drink:5H 5H
s drink:6H 6H
t drink:7H 7H
u drink:8H 8H
v drink:9H 9H
w drink:TH TH
"""
"""Log character, API form and notation form of each action. Stored games depend on them."""


def test_the_text_forms_of_actions_never_change() -> None:
    assert [f"{a.char} {a.text} {a.short}" for a in ACTIONS] == FORMS.splitlines()


def test_draw_and_avoid_have_constants() -> None:
    assert parse_action("draw") is DRAW
    assert parse_action("avoid") is AVOID


def test_an_action_has_the_parts_of_its_text() -> None:
    for action in ACTIONS:
        parts = (action.verb, action.card, action.how)
        assert ":".join(str(part) for part in parts if part is not None) == str(action)


def test_actions_and_cards_are_unique_and_hashable() -> None:
    for things in (ACTIONS, PACK):
        assert all(one != other for one, other in combinations(things, 2))
        assert len(set(things)) == len(things)


def test_actions_and_cards_are_immutable() -> None:
    for thing in (DRAW, PACK[0]):
        with pytest.raises(AttributeError):
            setattr(thing, "card" if thing is DRAW else "value", 99)


def test_a_log_is_one_character_for_each_action_in_order() -> None:
    actions = tuple(parse_action(text) for text in ("draw", "equip:5D", "fight:TS:barehanded"))
    assert to_log(actions) == "0i\\"
    assert from_log("0i\\") == actions
    assert from_log("") == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "DRAW",
        "avoid ",
        "avoid:5D",
        "equip",
        "equip:",
        "equip:5d",
        "equip:KS",
        "equip:KD",
        "drink:5D",
        "fight:KS",
        "fight:KS:sword",
        "fight:KS:weapon:",
        "fight:5H:weapon",
        "5D",
        "0",
    ],
)
def test_an_unknown_action_is_rejected(text: str) -> None:
    with pytest.raises(UnknownAction) as error:
        parse_action(text)
    assert error.value.code == "unknown_action"
    assert str(error.value) == (
        f"{text!r} is not an action: write it like fight:KS:weapon or avoid"
    )


@pytest.mark.parametrize("text", ["", "KS", "KSW", "5Dw", "KDw", "draw", "D", "A", "KSwb", " d"])
def test_an_unknown_short_form_is_rejected(text: str) -> None:
    with pytest.raises(UnknownAction, match=f"^{text!r} is not an action"):
        parse_short(text)


@pytest.mark.parametrize("char", ["/", "x", " ", "\n", "\0", "é"])
def test_an_invalid_log_character_is_rejected_and_named_in_the_message(char: str) -> None:
    with pytest.raises(UnknownAction) as error:
        from_log(f"0{char}1")
    assert str(error.value).startswith(f"{char!r} is not an action")


# The cards


def test_the_pack_has_clubs_and_spades_to_the_ace_then_diamonds_and_hearts_to_the_ten() -> None:
    assert " ".join(str(one) for one in PACK) == (
        "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS "
        "2D 3D 4D 5D 6D 7D 8D 9D TD 2H 3H 4H 5H 6H 7H 8H 9H TH"
    )
    assert [one.index for one in PACK] == list(range(44))


def test_the_suit_decides_the_kind_of_a_card_and_the_rank_its_value() -> None:
    kinds = {"C": Kind.MONSTER, "S": Kind.MONSTER, "D": Kind.WEAPON, "H": Kind.POTION}
    for one in PACK:
        assert one.kind is kinds[one.code[1]]
        assert one.value == "23456789TJQKA".index(one.code[0]) + 2


def test_the_values_of_all_monsters_add_up_to_208() -> None:
    assert sum(one.value for one in PACK if one.kind is Kind.MONSTER) == 208


@pytest.mark.parametrize("code", ["", "5", "10D", "JD", "AH", "1C", "5d", "D5", "5D "])
def test_an_unknown_card_is_rejected(code: str) -> None:
    with pytest.raises(UnknownCard) as error:
        card(code)
    assert error.value.code == "unknown_card"
    assert str(error.value) == (
        f"{code!r} is not a card: write the rank (2-9, T, J, Q, K, A), then the suit (C, S, D, H)"
    )
