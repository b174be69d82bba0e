-- Plays random games one after another. Each thread is a player with one connection.
-- The argument is the player's strategy:
--   list      list the legal actions, then send one of them
--   response  send one of the legal actions in the previous response
--   room      likewise, but send three actions of a room in one request
-- Prints the outcome as JSON. Only finished games count.
games = 0 -- finished by this player; global, so that done() can read it

local threads, strategy, game, version, legal, state = {}, nil, nil, nil, nil, nil

function setup(thread)
  threads[#threads + 1] = thread
  thread:set('player', #threads)
end

function init(args)
  strategy = args[1]
  math.randomseed(player)
end

local function post(path, body)
  return wrk.format('POST', path, { ['Content-Type'] = 'application/json' }, body)
end

local function value(card)
  local rank = card:sub(1, 1)
  return tonumber(rank) or ({ T = 10, J = 11, Q = 12, K = 13, A = 14 })[rank]
end

-- The health after an action. A request must not contain actions after the one that kills.
local function health_after(health, action, drunk)
  local kind, card, how = action:match('^(%a+):(%w+):?(%a*)$')
  if kind == 'fight' then
    local weapon = how == 'weapon' and tonumber(state:match('"weapon":{[^}]*"value":(%d+)')) or 0
    return health - math.max(0, value(card) - weapon)
  elseif kind == 'drink' and not drunk then
    return math.min(health + value(card), tonumber(state:match('"max_health":(%d+)')))
  end
  return health
end

-- Up to three actions of the room: the given one, then some that are always legal.
local function room_actions(first)
  local health = tonumber(state:match('"health":(%d+)'))
  local chosen, others, drunk = { first }, {}, false
  for card in state:match('"room":%[(.-)%]'):gmatch('%w+') do
    if not first:find(card, 1, true) then
      table.insert(others, math.random(#others + 1), card)
    end
  end
  health = health_after(health, first, drunk)
  while #chosen < 3 and #others > 0 and health > 0 do
    drunk = drunk or chosen[#chosen]:find('^drink') ~= nil
    local card = table.remove(others)
    local suit = card:sub(2)
    chosen[#chosen + 1] = suit == 'D' and 'equip:' .. card
      or suit == 'H' and 'drink:' .. card
      or 'fight:' .. card .. ':barehanded'
    health = health_after(health, chosen[#chosen], drunk)
  end
  return chosen
end

function request()
  if not game then
    return post('/v1/games', '{}')
  elseif not legal then
    return wrk.format('GET', '/v1/games/' .. game .. '/actions')
  end
  local chosen = { legal[math.random(#legal)] }
  if strategy == 'room' and chosen[1] ~= 'avoid' then
    chosen = room_actions(chosen[1])
  end
  return post(
    '/v1/games/' .. game .. '/actions',
    '{"version":' .. version .. ',"actions":["' .. table.concat(chosen, '","') .. '"]}'
  )
end

function response(status, _, body)
  if status >= 400 then
    return -- wrk counts the error
  end
  local listed = body:find('"action":', 1, true)
  if not listed then
    state = body
    game = body:match('"id":"([^"]+)"')
    if body:match('"status":"(%a+)"') ~= 'playing' then
      games, game = games + 1, nil
      return
    end
  end
  legal, version = nil, body:match('"version":(%d+)')
  if listed or strategy ~= 'list' then
    legal = {}
    local pattern = listed and '"action":"([^"]+)"' or '"([^"]+)"'
    for action in (listed and body or body:match('"actions":%[(.-)%]')):gmatch(pattern) do
      legal[#legal + 1] = action
    end
  end
end

function done(summary, latency, _)
  local finished = 0
  for _, thread in ipairs(threads) do
    finished = finished + thread:get('games')
  end
  local errors = summary.errors
  io.write(string.format(
    '\n{"games": %d, "requests": %d, "seconds": %.6f, "p50": %.0f, "p99": %.0f, "failed": %d}\n',
    finished, summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
