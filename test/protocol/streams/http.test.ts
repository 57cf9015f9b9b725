import { describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { dhole } from '../../../src/index.ts'
import { runsOnPostgres, storageOf } from '../../support/engine.ts'
import { EventSource, escapedTarget, openSource } from '../../support/event-source.ts'
import { http2Client } from '../../support/http2-client.ts'
import {
  type Answer,
  clientOf,
  filesClosed,
  type HttpsClient,
  SECRET,
  startInProcess,
} from '../../support/https-server.ts'
import { someInLanes } from '../../support/lane.ts'
import { sharedCertificate } from '../../support/shared-certificate.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { errorBody, errors, noIndex } from '../rest/errors.ts'

const versions = [
  ['HTTP/1.1', false],
  ['HTTP/2', true],
] as const
const ACCEPT = { Accept: 'text/event-stream' }
const KEEP_ALIVE = 'event: keep-alive\ndata: null\n\n'
const NOT_STREAMED = {
  ...errors.parameter,
  error: 'shallow, count, callback, download are not supported for streams',
}

async function write(server: HttpsClient, target: string, json: unknown, method = 'PUT'): Promise<void> {
  const { status } = await server.call(method, target, { body: JSON.stringify(json) })
  expect(status).toBe(200)
}

function refused(answer: Answer, { status, ...body }: typeof errors.parameter | ReturnType<typeof noIndex>): void {
  expect({ status: answer.status, body: JSON.parse(answer.text) }).toEqual({ status, body })
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
}

describe.each(someInLanes(versions, 2))('%s', (_, http2) => {
  test('4 headers', async () => {
    await using server = await startInProcess()
    await using source = await openSource(server, '/.json', { http2 })
    const { 'transfer-encoding': _encoding, date: _date, ...headers } = Object.fromEntries(source.headers)
    expect({ status: source.status, headers }).toEqual({
      status: 200,
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
        'x-accel-buffering': 'no',
        'access-control-allow-origin': '*',
        'access-control-expose-headers':
          'ETag, X-Firebase-Auth-Debug, Idempotency-Replayed, X-Request-Id, X-Dhole-Position',
        'x-content-type-options': 'nosniff',
      },
    })
  })

  test('4.1 exact bytes', async () => {
    await using server = await startInProcess()
    await write(server, '/.json', {
      b: 1,
      10: { x: 'é"\n\u2028' },
      9: [true, null, 2],
      a: { '.value': 3, '.priority': 1 },
    })
    await using source = await openSource(server, '/.json', { http2 })
    await using exported = await openSource(server, '/.json?format=export', { http2 })
    const windowTarget = escapedTarget('/.json?orderBy="$key"&limitToFirst=1')
    await using window = await openSource(server, windowTarget, { http2 })
    await write(server, '/c%20d/%F0%9F%98%80%22%5C.json', [1, null, 2])
    await write(server, '/b.json', { '.value': 'x', '.priority': 'p' })
    await write(server, '/.json', { '10': { z: 1, '2': 0 }, 'e/f': null }, 'PATCH')
    // A window that is still read when the next commit comes tells both at once; one that opens tells the others first.
    if (runsOnPostgres()) await (await openSource(server, windowTarget)).close()
    await write(server, '/10.json', null)
    await source.take(5)
    expect(source.raw).toBe(
      [
        'event: put\ndata: {"path":"/","data":{"9":[true,null,2],"10":{"x":"é\\"\\n\u2028"},"a":3,"b":1}}\n\n',
        'event: put\ndata: {"path":"/c d/😀\\"\\\\","data":[1,null,2]}\n\n',
        'event: put\ndata: {"path":"/b","data":"x"}\n\n',
        'event: patch\ndata: {"path":"/","data":{"10":{"2":0,"z":1},"e/f":null}}\n\n',
        'event: put\ndata: {"path":"/10","data":null}\n\n',
      ].join(''),
    )
    await exported.take(5)
    expect(exported.raw).toStartWith(
      [
        'event: put\ndata: {"path":"/","data":{"9":{"0":true,"2":2},"10":{"x":"é\\"\\n\u2028"},"a":{".priority":1,".value":3},"b":1}}\n\n',
        'event: put\ndata: {"path":"/c d/😀\\"\\\\","data":{"0":1,"2":2}}\n\n',
        'event: put\ndata: {"path":"/b","data":{".priority":"p",".value":"x"}}\n\n',
      ].join(''),
    )
    await window.take(3)
    expect(window.raw).toBe(
      [
        'event: put\ndata: {"path":"/","data":{"10":{"x":"é\\"\\n\u2028"}}}\n\n',
        'event: put\ndata: {"path":"/10","data":{"2":0,"z":1}}\n\n',
        'event: patch\ndata: {"path":"/","data":{"9":[true,null,2],"10":null}}\n\n',
      ].join(''),
    )
  })

  test('4.1 an event of several megabytes is one line', async () => {
    await using server = await startInProcess()
    await using source = await openSource(server, '/big.json', { http2 })
    await source.next()
    const text = 'é😀 '.repeat(500_000)
    await write(server, '/big.json', { text })
    expect(await source.next()).toEqual({ kind: 'put', path: '/', data: { text } })
    await using late = await openSource(server, '/big.json', { http2 })
    expect(await late.next()).toEqual({ kind: 'put', path: '/', data: { text } })
  })

  test('99 keep-alive after silence, and again', async () => {
    await using server = await startInProcess({ streams: { keepAliveMs: 40 } })
    await using source = await openSource(server, '/x.json', { http2 })
    await source.next()
    expect((await source.nextMessage())?.raw).toBe(KEEP_ALIVE)
    expect((await source.nextMessage())?.raw).toBe(KEEP_ALIVE)
    expect(Buffer.byteLength(KEEP_ALIVE)).toBe(30)
    await write(server, '/x.json', 1)
    expect(await source.next()).toEqual({ kind: 'put', path: '/', data: 1 })
    expect((await source.nextMessage())?.raw).toBe(KEEP_ALIVE)
  })

  test('99 a filtered stream is kept alive too', async () => {
    await using server = await startInProcess({ streams: { keepAliveMs: 40 } })
    await using source = await openSource(server, escapedTarget('/x.json?orderBy="$key"&limitToLast=1'), { http2 })
    await source.next()
    expect((await source.nextMessage())?.raw).toBe(KEEP_ALIVE)
  })

  test('4 whatever is wrong before the first event is an ordinary error', async () => {
    await using server = await startInProcess({
      applications: { app: { open: true, secret: SECRET, indexPolicy: 'require' }, closed: { secret: SECRET } },
      limits: { maxReadBytes: 1000 },
    })
    await using client = http2Client(server.url, server.ca)
    const call = http2 ? client.call : server.call
    await write(server, '/big.json?ns=app', { a: 'x'.repeat(600), b: 'y'.repeat(600) })
    const rows: Readonly<Record<string, Parameters<typeof refused>[1]>> = {
      '/a?ns=app': errors.noSuffix,
      '/a.json': errors.noApplication,
      '/a.json?ns=none': errors.unknownApplication,
      '/a$.json?ns=app': errors.pathKey,
      '/a.json?ns=app&limitToFirst=1': errors.noOrder,
      '/a.json?ns=app&orderBy=a': errors.order,
      '/a.json?ns=app&orderBy="$key"&limitToFirst=0': errors.firstPositive,
      '/a.json?ns=app&orderBy="$key"&startAt=1': errors.keyBound,
      '/a.json?ns=app&orderBy="n"': noIndex('n', '/a'),
      '/a.json?ns=app&format=other': errors.parameter,
      '/a.json?ns=app&resume=perhaps': errors.parameter,
      '/a.json?ns=app&timeout=0s': errors.parameter,
      '/a.json?ns=app&auth=wrong': errors.token,
      '/a.json?ns=closed': errors.deniedFirebase,
      '/big.json?ns=app': errors.readTooBig,
      '/big.json?ns=app&orderBy="$key"': errors.readTooBig,
    }
    for (const [target, error] of Object.entries(rows)) {
      refused(await call('GET', escapedTarget(target), { headers: ACCEPT }), error)
    }
    await using window = await openSource(server, escapedTarget('/big.json?ns=app&orderBy="$key"&limitToLast=1'), {
      http2,
    })
    expect(await window.next()).toEqual({ kind: 'put', path: '/', data: { b: 'y'.repeat(600) } })
    await using admin = await openSource(server, `/a.json?ns=closed&auth=${encodeURIComponent(SECRET)}`, { http2 })
    expect(await admin.next()).toEqual({ kind: 'put', path: '/', data: null })
    const headers = { Authorization: `Bearer ${SECRET}` }
    await using bearer = await openSource(server, '/a.json?ns=closed', { http2, headers })
    expect(await bearer.next()).toEqual({ kind: 'put', path: '/', data: null })
  })

  test('7 a Wilddog client is refused with 403', async () => {
    await using server = await startInProcess({ applications: { app: { secret: SECRET } } })
    await using client = http2Client(server.url, server.ca)
    const call = http2 ? client.call : server.call
    refused(await call('GET', '/a.json', { headers: ACCEPT }), errors.denied)
  })

  test('4 what makes no sense of a stream is refused', async () => {
    await using server = await startInProcess()
    await using client = http2Client(server.url, server.ca)
    const call = http2 ? client.call : server.call
    for (const parameter of ['shallow=true', 'count=true', 'download=x', 'orderBy="$key"&count=true']) {
      refused(await call('GET', escapedTarget(`/a.json?${parameter}`), { headers: ACCEPT }), NOT_STREAMED)
    }
    const wrapped = await call('GET', '/a.json?callback=f', { headers: ACCEPT })
    expect(wrapped.status).toBe(400)
    expect(wrapped.text).toBe(`/**/f(${JSON.stringify(errorBody(NOT_STREAMED))});`)
    const ifMatch = await call('GET', '/a.json', { headers: { ...ACCEPT, 'If-Match': '*' } })
    refused(ifMatch, errors.getIfMatch)
  })

  test('4 print is ignored', async () => {
    await using server = await startInProcess()
    await write(server, '/a.json', { b: { c: 1 } })
    for (const print of ['pretty', 'silent']) {
      await using source = await openSource(server, `/a.json?print=${print}`, { http2 })
      await source.next()
      expect(source.raw).toBe('event: put\ndata: {"path":"/","data":{"b":{"c":1}}}\n\n')
    }
  })

  test('2 HEAD and writes are ordinary whatever they accept', async () => {
    await using server = await startInProcess()
    await using client = http2Client(server.url, server.ca)
    const call = http2 ? client.call : server.call
    const put = await call('PUT', '/a.json', { body: '{"b":1}', headers: ACCEPT })
    expect({ status: put.status, text: put.text }).toEqual({ status: 200, text: '{"b":1}' })
    const head = await call('HEAD', '/a.json', { headers: ACCEPT })
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
    expect(head.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(head.headers.get('content-length')).toBe('7')
    const post = await call('POST', '/a.json', { body: '2', headers: ACCEPT })
    expect(post.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const shallow = await call('HEAD', '/a.json?shallow=true', { headers: ACCEPT })
    expect(shallow.status).toBe(200)
    const remove = await call('DELETE', '/a.json', { headers: ACCEPT })
    expect({ status: remove.status, text: remove.text }).toEqual({ status: 200, text: 'null' })
  })

  test('4 the Accept list', async () => {
    await using server = await startInProcess()
    const streams = [
      'text/event-stream',
      'TEXT/Event-Stream',
      'application/json, text/event-stream',
      'application/json,text/event-stream',
      'text/event-stream, */*;q=0.1',
      'text/event-stream;q=0.5',
      'text/event-stream; q=0.001',
      'text/event-stream;charset=utf-8',
      'text/event-stream ; q=1.0, application/json;q=0',
      'application/json;q=0, text/event-stream',
      'text/event-stream;Q=0.1',
    ]
    const ordinary = [
      '*/*',
      'text/*',
      'application/json',
      'text/event-stream;q=0',
      'text/event-stream; q=0.0',
      'text/event-stream;q=0.000',
      'text/event-stream ;Q=0, application/json',
      'application/json, text/event-stream;q=0',
      'text/event-stream;charset=utf-8;q=0',
      'text/event-streams',
      'x-text/event-stream',
      'application/json;profile="text/event-stream"',
    ]
    const types: Record<string, string | null> = {}
    for (const accept of [...streams, ...ordinary]) {
      await using source = await EventSource.open(server, '/a.json', { http2, accept })
      types[accept] = source.headers.get('content-type')
    }
    expect(types).toEqual({
      ...Object.fromEntries(streams.map((accept) => [accept, 'text/event-stream; charset=utf-8'])),
      ...Object.fromEntries(ordinary.map((accept) => [accept, 'application/json; charset=utf-8'])),
    })
  })

  test('4 another host serves the streams', async () => {
    await using server = await startInProcess({ streamHost: 'https://other.example' })
    await using client = http2Client(server.url, server.ca)
    const call = http2 ? client.call : server.call
    for (const target of [
      '/a.json',
      '/.json?print=pretty',
      '/a%20b/%22/%F0%9F%98%80.json?orderBy=%22%24key%22&limitToFirst=1&auth=',
      "/a'b/(c)!~*.json?format=export&_=1+2%2B3",
    ].map((each) => each.replace('&auth=', `&auth=${encodeURIComponent(SECRET)}`))) {
      const { status, headers, text } = await call('GET', target, { headers: ACCEPT })
      expect({ status, text, to: headers.get('location') }).toEqual({
        status: 307,
        text: '',
        to: `https://other.example${target}`,
      })
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
    const ordinary = await call('GET', '/a.json')
    expect({ status: ordinary.status, text: ordinary.text }).toEqual({ status: 200, text: 'null' })
    refused(await call('GET', '/a.json?limitToFirst=1', { headers: ACCEPT }), errors.noOrder)
    refused(await call('GET', '/a.json?auth=wrong', { headers: ACCEPT }), errors.token)
    expect((await call('HEAD', '/a.json', { headers: ACCEPT })).status).toBe(200)
  })

  test('4 the host of the streams does not send them on', async () => {
    await using server = await startInProcess({ streamHost: 'https://streams.example:8443' })
    const headers = { Host: 'streams.example:8443' }
    const authority = http2 ? { ':authority': headers.Host } : headers
    await using source = await openSource(server, '/a.json', { http2, headers: authority })
    expect(await source.next()).toEqual({ kind: 'put', path: '/', data: null })
  })

  test('2.6 a browser may ask with Last-Event-ID', async () => {
    await using server = await startInProcess()
    await using client = http2Client(server.url, server.ca)
    const call = http2 ? client.call : server.call
    const { status, headers } = await call('OPTIONS', '/a.json', {
      headers: { Origin: 'https://page.example', 'Access-Control-Request-Headers': 'last-event-id', ...ACCEPT },
    })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-headers')).toContain('Last-Event-ID')
  })
})

test('4 a request without a Host header is sent on, or told what is wrong, but never an internal error', async () => {
  await using server = await startInProcess({ streamHost: 'https://other.example' })
  const answer = await server.raw('GET /a.json HTTP/1.0\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n')
  expect(answer).toStartWith('HTTP/1.1 307')
  expect(answer.toLowerCase()).toContain('\r\nlocation: https://other.example/a.json\r\n')
})

test('2.5 GET by another name opens a stream', async () => {
  await using server = await startInProcess({ streams: { keepAliveMs: 40 } })
  const reply = await fetch(`${server.url}/a.json`, {
    method: 'POST',
    headers: { ...ACCEPT, 'X-HTTP-Method-Override': 'GET' },
    tls: { ca: server.ca },
  })
  expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const reader = reply.body!.getReader()
  const first = await reader.read()
  expect(new TextDecoder().decode(first.value)).toBe('event: put\ndata: {"path":"/","data":null}\n\n')
  await reader.cancel()
})

test('4 a prefix goes along', async () => {
  await using dir = await tempDir()
  const app = new Elysia()
    .use(
      dhole({
        ...storageOf(dir.path),
        dataDir: dir.path,
        applications: { app: { open: true, secret: SECRET } },
        prefix: '/tree',
        streamHost: 'https://other.example',
      }),
    )
    .listen({ hostname: '127.0.0.1', port: 0, tls: await sharedCertificate() })
  const { call } = clientOf(app.server?.port ?? 0, (await sharedCertificate()).cert)
  const { status, headers } = await call('GET', '/tree/a.json?print=pretty', { headers: ACCEPT })
  expect({ status, to: headers.get('location') }).toEqual({
    status: 307,
    to: 'https://other.example/tree/a.json?print=pretty',
  })
  await app.stop(true)
  await filesClosed(dir.path)
})
