-- Posts the bodies of a file in turn; each thread starts at another one. Requests are prepared in advance, so
-- that their generation is not measured.
local threads = 0

function setup(thread)
  thread:set("place", threads)
  threads = threads + 1
end

function init()
  requests = {}
  for line in io.lines(path) do
    local key, body = line:match("([^\t]*)\t(.*)")
    local headers = { ["Authorization"] = "Bearer " .. key, ["Content-Type"] = "application/json" }
    requests[#requests + 1] = wrk.format("POST", nil, headers, body)
  end
  next_one = place * 7919
end

function request()
  next_one = next_one + 1
  return requests[next_one % #requests + 1]
end
