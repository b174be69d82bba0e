"""Scoundrel, the single-player roguelike card game by Zach Gage and Kurt Bieg (2011).

The package contains only the rules: no HTTP, no store, no clock. A game is a pure function of its
options, its seed and its actions. States are immutable.

Deal the cards and look at the room:

>>> import engine
>>> state, events = engine.begin("demo-original-1")
>>> [str(card) for card in state.room]
['6D', 'AS', '5S', 'JC']
>>> events
(CardsDrawn(cards=(Card(code='6D'), Card(code='AS'), Card(code='5S'), Card(code='JC')), \
type='cards_drawn'),)

List the legal actions:

>>> [str(action) for action in engine.legal_actions(state)]
['equip:6D', 'fight:AS:barehanded', 'fight:5S:barehanded', 'fight:JC:barehanded', 'avoid']

Apply actions; each step is the new state and the events that led to it:

>>> state, events = engine.apply(state, engine.parse_action("equip:6D"))
>>> engine.effect(state, engine.parse_action("fight:JC:weapon"))
Effect(damage=5, healed=0, health_after=15)
>>> state, events = engine.apply(state, engine.parse_action("fight:JC:weapon"))
>>> state.health, [str(card) for card in state.weapon.monsters]
(15, ['JC'])
>>> engine.apply(state, engine.parse_action("fight:AS:weapon"))
Traceback (most recent call last):
    ...
engine.game.IllegalAction: fight:AS:weapon is not legal now

Play to the end, here always with the first legal action, and score:

>>> while actions := engine.legal_actions(state):
...     state, events = engine.apply(state, actions[0])
>>> state.status, events
(<Status.LOST: 'lost'>, (Died(card=Card(code='5S'), how=<How.BAREHANDED: 'barehanded'>, \
damage=5, type='died'),))
>>> engine.score(state)
Score(score=-173, health=-4, bonus=0, remaining=169)

Get the rules of a published version with single options changed:

>>> rules = engine.rules_for("gravekeeper", {"draw": "auto"})
>>> str(rules), rules.custom
('gravekeeper+draw=auto', True)

Write a whole game in one line, and parse it again:

>>> actions = [engine.parse_action(text) for text in ("equip:6D", "fight:AS:weapon")]
>>> rules = engine.rules_for("original", {"leave": 2})
>>> line = engine.format_notation(rules, "demo-original-1", actions)
>>> line
'original+leave=2/demo-original-1/6D ASw'
>>> rules, seed, actions = engine.parse_notation(line)
>>> engine.replay(seed, actions, rules.options).health
12
"""

from engine.actions import (
    ACTIONS,
    AVOID,
    DRAW,
    Action,
    How,
    Verb,
    from_log,
    parse_action,
    parse_short,
    to_log,
)
from engine.cards import PACK, Card, Kind, card, pack_order
from engine.deal import SEED_PATTERN, check_seed, commitment, deal
from engine.errors import (
    EngineError,
    InvalidNotation,
    InvalidOption,
    InvalidSeed,
    UnknownAction,
    UnknownCard,
    UnknownRuleset,
)
from engine.events import EVENTS, CardsDrawn, Event
from engine.game import (
    Effect,
    GameOver,
    IllegalAction,
    Step,
    apply,
    apply_all,
    begin,
    effect,
    legal_actions,
    replay,
    steps,
)
from engine.notation import Record, format_notation, parse_notation
from engine.rulebook import Section, rulebook
from engine.rules import (
    DEFAULT_RULESET,
    OPTIONS,
    RULESETS,
    Option,
    Options,
    Rules,
    Ruleset,
    parse_rules,
    rules_for,
)
from engine.score import Score, score
from engine.state import Phase, State, Status, Weapon

__all__ = [
    "ACTIONS",
    "AVOID",
    "DEFAULT_RULESET",
    "DRAW",
    "EVENTS",
    "OPTIONS",
    "PACK",
    "RULESETS",
    "SEED_PATTERN",
    "Action",
    "Card",
    "CardsDrawn",
    "Effect",
    "EngineError",
    "Event",
    "GameOver",
    "How",
    "IllegalAction",
    "InvalidNotation",
    "InvalidOption",
    "InvalidSeed",
    "Kind",
    "Option",
    "Options",
    "Phase",
    "Record",
    "Rules",
    "Ruleset",
    "Score",
    "Section",
    "State",
    "Status",
    "Step",
    "UnknownAction",
    "UnknownCard",
    "UnknownRuleset",
    "Verb",
    "Weapon",
    "apply",
    "apply_all",
    "begin",
    "card",
    "check_seed",
    "commitment",
    "deal",
    "effect",
    "format_notation",
    "from_log",
    "legal_actions",
    "pack_order",
    "parse_action",
    "parse_notation",
    "parse_rules",
    "parse_short",
    "replay",
    "rulebook",
    "rules_for",
    "score",
    "steps",
    "to_log",
]
