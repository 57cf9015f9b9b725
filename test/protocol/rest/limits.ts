import { errors } from './errors.ts'
import type { Case } from './interpreter.ts'

/** Small enough to be met by small requests. */
export const smallLimits = {
  maxLeafBytes: 100,
  maxWriteBytes: 1000,
  maxReadBytes: 2000,
  writeNodesPerSecond: 10,
} as const

const zipped = { 'Content-Encoding': 'gzip' }

function zip(text: string): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(new TextEncoder().encode(text))
}

/** `{"k0":1,…}` of so many members. */
function members(number: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: number }, (_, index) => [`k${index}`, 1]))
}

function padded(json: string, bytes: number): string {
  return json.padEnd(bytes, ' ')
}

/** A tree of three parts, each within the limit of a write, together beyond that of a read. */
const large = [1, 2, 3].map((part) => ({
  send: `PUT /big/${part}.json`,
  body: JSON.stringify(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, 'x'.repeat(90)]))),
}))

/** Section 1.3 and `writeSizeLimit`, against `smallLimits`. */
export const limits: readonly Case[] = [
  {
    name: '1.3 the longest leaf, in bytes',
    data: { a: 1 },
    steps: [
      { send: 'PUT /l.json', body: `"${'x'.repeat(100)}"`, status: 200 },
      { send: 'PUT /l.json', body: `"${'é'.repeat(50)}"`, status: 200 },
      { send: 'PUT /l.json', body: `"${'\\u00e9'.repeat(50)}"`, status: 200 },
      { send: 'PUT /a.json', body: `"${'x'.repeat(101)}"`, error: errors.leafTooBig },
      { send: 'PUT /a.json', body: `"${'é'.repeat(51)}"`, error: errors.leafTooBig },
      { send: 'POST /a.json', body: `["${'x'.repeat(101)}"]`, error: errors.leafTooBig },
      { send: 'PATCH /a.json', body: `{"b":"${'x'.repeat(101)}"}`, error: errors.leafTooBig },
      { send: 'PUT /a.json', body: `{".value":"${'x'.repeat(101)}",".priority":1}`, error: errors.leafTooBig },
      { send: 'DELETE /l.json' },
    ],
    after: { '/.json': { a: 1 } },
  },
  {
    name: '1.3 the largest body',
    data: { a: 1 },
    steps: [
      { send: 'PUT /l.json', body: padded('1', 1000), text: '1' },
      { send: 'PUT /l.json', body: zip(padded('1', 1000)), headers: zipped, text: '1' },
      { send: 'PUT /a.json', body: padded('2', 1001), error: errors.writeTooBig },
      { send: 'POST /a.json', body: padded('2', 1001), error: errors.writeTooBig },
      { send: 'PATCH /a.json', body: padded('{"b":2}', 1001), error: errors.writeTooBig },
      { send: 'PUT /a.json', body: padded('no json', 1001), error: errors.writeTooBig },
      { send: 'PUT /a.json', body: zip(padded('2', 1001)), headers: zipped, error: errors.writeTooBig },
      { send: 'DELETE /l.json', body: padded('2', 5000), text: 'null' },
    ],
    after: { '/.json': { a: 1 } },
  },
  {
    name: '1.3 the largest answer',
    steps: [
      ...large,
      { send: 'GET /.json', error: errors.readTooBig },
      { send: 'GET /big.json?format=export', error: errors.readTooBig },
      { send: 'GET /big.json?callback=cb', status: 400, text: /^\/\*\*\/cb\(\{"errcode":20402,/ },
      { send: 'GET /big/1.json', status: 200 },
      { send: 'GET /big.json?shallow=true', text: '{"1":true,"2":true,"3":true}' },
      { send: 'GET /big.json?count=true', text: '3' },
      { send: 'DELETE /big.json', text: 'null' },
    ],
    after: { '/.json': null },
  },
  {
    name: '2.4 writes estimated beyond writeSizeLimit',
    data: { kept: members(9) },
    steps: [
      { send: 'PUT /a.json?writeSizeLimit=tiny', body: JSON.stringify(members(9)), status: 200 },
      { send: 'PUT /b.json?writeSizeLimit=tiny', body: JSON.stringify(members(10)), error: errors.writeTooBig },
      { send: 'POST /b.json?writeSizeLimit=tiny', body: JSON.stringify(members(10)), error: errors.writeTooBig },
      { send: 'PATCH /b.json?writeSizeLimit=tiny', body: JSON.stringify(members(11)), error: errors.writeTooBig },
      { send: 'PUT /kept.json?writeSizeLimit=tiny', body: '1', error: errors.writeTooBig },
      { send: 'DELETE /.json?writeSizeLimit=tiny', error: errors.writeTooBig },
      { send: 'PUT /c.json?writeSizeLimit=small', body: JSON.stringify(members(11)), status: 200 },
      { send: 'PUT /d.json?writeSizeLimit=unlimited', body: JSON.stringify(members(11)), status: 200 },
      { send: 'PUT /e.json', body: JSON.stringify(members(11)), status: 200 },
    ],
    after: { '/.json?shallow=true': { a: true, c: true, d: true, e: true, kept: true }, '/kept.json': members(9) },
  },
]
