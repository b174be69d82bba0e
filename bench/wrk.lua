-- Sends the requests of a file in turn, and prints what came of them as JSON.
-- A line of the file is a method, a path and a body (which may be missing), between single spaces.
-- The address comes from wrk's own command line, the file from the argument behind it, then the number
-- of threads, and how often each request is sent: `once` or `again` and again. Each thread has a
-- connection of its own and keeps to its own games, as a player does.
local JSON = { ['Content-Type'] = 'application/json' }
local RUN_OUT = wrk.format('POST', '/v1/games/none/actions', JSON, '{"version":1,"actions":["draw"]}')

local started = 0
local requests, again, asked, ahead = {}, false, 0, 0

function setup(thread)
  thread:set('number', started)
  started = started + 1
end

local function share(path, line, threads)
  local id = path:match('^/v1/games/([^/]+)')
  if not id then return line % threads end
  local sum = 0
  for place = 1, #id do sum = sum + id:byte(place) end
  return sum % threads
end

function init(args)
  local lines, all, threads = {}, {}, tonumber(args[2])
  for line in io.lines(args[1]) do lines[#lines + 1] = line end
  for place, line in ipairs(lines) do
    local method, path, body = line:match('^(%S+) (%S+) ?(.*)$')
    local given = body ~= '' and body or nil
    all[place] = wrk.format(method, path, given and JSON or {}, given)
    if share(path, place, threads) == number then requests[#requests + 1] = all[place] end
  end
  again = args[3] == 'again'
  if again and #requests == 0 then requests = all end
  -- wrk asks the first thread once before it begins, and sends nothing of that.
  if number == 0 then ahead = 1 end
end

-- What is sent but once runs out, and then a request that fails is sent.
function request()
  asked = asked + 1
  local place = math.max(1, asked - ahead)
  return requests[again and (place - 1) % #requests + 1 or place] or RUN_OUT
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "seconds": %.6f, "p50": %.0f, "p99": %.0f, "failed": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
