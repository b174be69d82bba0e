-- Sends the requests of the file that BENCH_REQUESTS names, in their order, each once: a line each of
-- method, path and body, apart by tabs. Counts what was not answered with 2xx.
local requests = {}
for line in io.lines(os.getenv("BENCH_REQUESTS")) do
  local method, path, body = line:match("^(%S+)\t(%S+)\t(.*)$")
  local headers = { ["Content-Type"] = "application/json" }
  requests[#requests + 1] = wrk.format(method, path, headers, body ~= "" and body or nil)
end

local next_request = 0

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end

function done(summary, latency)
  io.write(string.format(
    "BENCH %d %d %d %d %d %d\n",
    summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99),
    summary.errors.status, summary.errors.connect + summary.errors.read + summary.errors.timeout
  ))
end
