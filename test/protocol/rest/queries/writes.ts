import type { Case } from '../interpreter.ts'

/** `k000` and so on, each as high as its number. */
function stairs(length: number): Record<string, { h: number; n: { x: number } }> {
  return Object.fromEntries(
    Array.from({ length }, (_, index) => [`k${String(index).padStart(3, '0')}`, { h: index, n: { x: -index } }]),
  )
}

const last = 'GET /list.json?orderBy="h"&limitToLast=1'
const lacking = 'GET /list.json?orderBy="h"&equalTo=null'

/** Whatever a write does, the next query sees it: nothing of an index outlives the data. */
export const queryWrites: readonly Case[] = [10, 300].flatMap((length): readonly Case[] => [
  {
    name: `3 writes below a list of ${length} are seen by the next query`,
    data: { list: stairs(length) },
    steps: [
      {
        send: `${last}&startAt=${length - 1}`,
        json: { [Object.keys(stairs(length)).at(-1) ?? '']: { h: length - 1, n: { x: 1 - length } } },
      },
      { send: 'PUT /list/k000/h.json', body: '1000' },
      { send: last, text: '{"k000":{"h":1000,"n":{"x":0}}}' },
      { send: 'GET /list.json?orderBy="h"&limitToFirst=1', text: '{"k001":{"h":1,"n":{"x":-1}}}' },
      { send: 'GET /list.json?orderBy="h"&equalTo=0', text: '{}' },
      { send: 'PATCH /list.json', body: '{"k001/h":2000,"k002":null,"k000/n/x":7}' },
      {
        send: `GET /list.json?orderBy="h"&startAt=${length}`,
        text: '{"k000":{"h":1000,"n":{"x":7}},"k001":{"h":2000,"n":{"x":-1}}}',
      },
      { send: 'GET /list.json?orderBy="h"&equalTo=2', text: '{}' },
      { send: 'GET /list.json?orderBy="h"&count=true', text: String(length - 1) },
      { send: 'PUT /list/k003.json', body: '"leaf"' },
      { send: 'DELETE /list/k004/h.json' },
      { send: lacking, text: '{"k003":"leaf","k004":{"n":{"x":-4}}}' },
      { send: 'PUT /list/k003/h.json', body: '"text"' },
      { send: last, text: '{"k003":{"h":"text"}}' },
      { send: 'PUT /list/k004/h/deep.json', body: '1' },
      { send: last, text: '{"k004":{"h":{"deep":1},"n":{"x":-4}}}' },
      { send: 'GET /list.json?orderBy="h/deep"&startAt=1', text: '{"k004":{"h":{"deep":1},"n":{"x":-4}}}' },
      { send: 'DELETE /list/k004/h/deep.json' },
      { send: lacking, text: '{"k004":{"n":{"x":-4}}}' },
      { send: 'GET /list.json?orderBy="h/deep"&startAt=1', text: '{}' },
      { send: 'PUT /list/k005/h.json', body: '{".sv":{"increment":5000}}', text: '5005' },
      { send: 'GET /list.json?orderBy="h"&startAt=5000&endAt=6000', text: '{"k005":{"h":5005,"n":{"x":-5}}}' },
      { send: 'POST /list.json', body: '{"h":"zzz"}', keep: { N: 'name' } },
      { send: last, text: '{"{N}":{"h":"zzz"}}' },
      { send: 'DELETE /list/{N}.json' },
      { send: last, text: '{"k003":{"h":"text"}}' },
      { send: 'PUT /list/k006.json', body: '{".value":6,".priority":"p"}' },
      { send: 'GET /list.json?orderBy="$priority"&limitToLast=1', text: '{"k006":6}' },
      { send: 'PUT /list/k007/.priority.json', body: '"q"' },
      { send: 'GET /list.json?orderBy="$priority"&startAfter=null', text: '{"k006":6,"k007":{"h":7,"n":{"x":-7}}}' },
      { send: 'GET /list.json?orderBy="h"&equalTo=7', text: '{"k007":{"h":7,"n":{"x":-7}}}' },
      { send: 'DELETE /list/k006/.priority.json' },
      { send: 'GET /list.json?orderBy="$priority"&startAfter=null', text: '{"k007":{"h":7,"n":{"x":-7}}}' },
      { send: 'GET /list.json?orderBy="n/x"&endAt=-7&limitToLast=1', text: '{"k007":{"h":7,"n":{"x":-7}}}' },
      { send: 'PUT /list/k007/n.json', body: '{"x":-1e9}' },
      {
        send: 'GET /list.json?orderBy="n/x"&startAfter=null&limitToFirst=1',
        text: '{"k007":{"h":7,"n":{"x":-1000000000}}}',
      },
    ],
  },
  {
    name: `3 a list of ${length} that goes and comes back`,
    data: { above: { list: stairs(length) } },
    steps: [
      { send: 'GET /above/list.json?orderBy="h"&limitToFirst=1', text: '{"k000":{"h":0,"n":{"x":0}}}' },
      { send: 'DELETE /above.json' },
      { send: 'GET /above/list.json?orderBy="h"&limitToFirst=1', text: 'null' },
      { send: 'PUT /above/list/k001.json', body: '{"h":"only"}' },
      { send: 'GET /above/list.json?orderBy="h"', text: '{"k001":{"h":"only"}}' },
      { send: 'PUT /above/list.json', body: '5' },
      { send: 'GET /above/list.json?orderBy="h"', text: '5' },
      { send: 'PUT /above/list.json', body: JSON.stringify(stairs(length)) },
      { send: 'GET /above/list.json?orderBy="h"&limitToFirst=1', text: '{"k000":{"h":0,"n":{"x":0}}}' },
      { send: 'GET /above/list.json?orderBy="h"&startAt="only"', text: '{}' },
      { send: 'PUT /.json', body: '{"above":{"list":{"a":{"h":2},"b":{"h":1}}}}' },
      { send: 'GET /above/list.json?orderBy="h"', text: '{"b":{"h":1},"a":{"h":2}}' },
      { send: 'PUT /.json', body: 'null' },
      { send: 'GET /above/list.json?orderBy="h"', text: 'null' },
    ],
  },
  {
    name: `3 a list of ${length} that was never asked before it grew`,
    steps: [
      { send: 'PUT /list/a.json', body: '{"h":-1}' },
      { send: 'GET /list.json?orderBy="h"', text: '{"a":{"h":-1}}' },
      { send: 'PATCH /list.json?print=silent', body: JSON.stringify(stairs(length)), status: 204 },
      { send: 'GET /list.json?orderBy="h"&limitToFirst=2', text: '{"a":{"h":-1},"k000":{"h":0,"n":{"x":0}}}' },
      { send: 'GET /list.json?orderBy="h"&count=true', text: String(length + 1) },
      {
        send: 'PATCH /list.json?print=silent',
        body: JSON.stringify(Object.fromEntries(Object.keys(stairs(length)).map((key) => [key, null]))),
        status: 204,
      },
      { send: 'GET /list.json?orderBy="h"', text: '{"a":{"h":-1}}' },
    ],
  },
])
