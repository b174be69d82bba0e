"""Scoundrel, the single-player roguelike card game by Zach Gage and Kurt Bieg (2011).

The rules and nothing else: no HTTP, no store, no clock. A game is a pure function of its options,
a seed and the actions taken, and a state is a value that nothing changes.

Deal, and look at the table:

>>> import engine
>>> state, events = engine.begin("demo-original-1")
>>> [str(card) for card in state.room]
['6D', 'AS', '5S', 'JC']
>>> events
(CardsDrawn(cards=(Card(code='6D'), Card(code='AS'), Card(code='5S'), Card(code='JC')), \
type='cards_drawn'),)

List what is legal; that is the only source of legality:

>>> [str(action) for action in engine.legal_actions(state)]
['equip:6D', 'fight:AS:barehanded', 'fight:5S:barehanded', 'fight:JC:barehanded', 'avoid']

Play; each step is the new state and the events that led to it:

>>> state, events = engine.apply(state, engine.parse_action("equip:6D"))
>>> engine.effect(state, engine.parse_action("fight:JC:weapon"))
Effect(damage=5, healed=0, health_after=15)
>>> state, events = engine.apply(state, engine.parse_action("fight:JC:weapon"))
>>> state.health, [str(card) for card in state.weapon.monsters]
(15, ['JC'])
>>> engine.apply(state, engine.parse_action("fight:AS:weapon"))
Traceback (most recent call last):
    ...
engine.errors.IllegalAction: fight:AS:weapon is not legal now

Play on to the end, here with whatever comes first, and score:

>>> while actions := engine.legal_actions(state):
...     state, events = engine.apply(state, actions[0])
>>> state.status, events
(<Status.LOST: 'lost'>, (Died(card=Card(code='5S'), how=<How.BAREHANDED: 'barehanded'>, \
damage=5, type='died'),))
>>> engine.score(state)
Score(score=-173, health=-4, bonus=0, remaining=169)

Name the rules of a published version, and change single options:

>>> rules = engine.choose("gravekeeper", {"draw": "auto"})
>>> str(rules), rules.custom
('gravekeeper+draw=auto', True)

Write a whole game in one line, and read it back:

>>> actions = [engine.parse_action(text) for text in ("equip:6D", "fight:AS:weapon")]
>>> line = engine.write(engine.choose("original", {"leave": 2}), "demo-original-1", actions)
>>> line
'original+leave=2/demo-original-1/6D ASw'
>>> rules, seed, actions = engine.read(line)
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
    GameOver,
    IllegalAction,
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
    Phase,
    State,
    Status,
    Step,
    Weapon,
    apply,
    begin,
    effect,
    legal_actions,
    replay,
    steps,
)
from engine.notation import Record, read, write
from engine.rulebook import Section, rulebook
from engine.rules import (
    DEFAULT_RULESET,
    OPTIONS,
    RULESETS,
    Option,
    Options,
    Rules,
    Ruleset,
    choose,
    parse_rules,
)
from engine.score import Score, score

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
    "begin",
    "card",
    "check_seed",
    "choose",
    "commitment",
    "deal",
    "effect",
    "from_log",
    "legal_actions",
    "pack_order",
    "parse_action",
    "parse_rules",
    "parse_short",
    "read",
    "replay",
    "rulebook",
    "score",
    "steps",
    "to_log",
    "write",
]
