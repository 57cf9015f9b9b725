import { ETAG, S } from '../data-sets.ts'
import type { Case } from '../interpreter.ts'

const tagged = { 'X-Firebase-ETag': 'true' }

/** Section 2.7: the tag of an answer. */
export const queryTags: readonly Case[] = [
  {
    name: '2.7 the tag of a query is that of its answer',
    data: S,
    steps: [
      { send: 'GET /scores.json?orderBy="$value"&limitToLast=2', reply: { ETag: undefined } },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=2',
        headers: tagged,
        text: '{"cat":80,"dan":93}',
        reply: { ETag: ETAG },
        keep: { E: 'etag' },
      },
      { send: 'GET /scores.json?orderBy="$value"&limitToLast=2', headers: tagged, reply: { ETag: '{E}' } },
      { send: 'GET /scores.json?orderBy="$value"&startAt=80', headers: tagged, reply: { ETag: '{E}' } },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=2',
        headers: { 'If-None-Match': '{E}' },
        status: 304,
        text: '',
        reply: { ETag: '{E}' },
      },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=2',
        headers: { 'If-None-Match': 'x' },
        text: '{"cat":80,"dan":93}',
        reply: { ETag: '{E}' },
      },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=1',
        headers: { 'If-None-Match': '{E}' },
        text: '{"dan":93}',
        reply: { ETag: ETAG },
      },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=2&print=silent',
        headers: tagged,
        status: 204,
        reply: { ETag: '{E}' },
      },
      { send: 'GET /scores.json', headers: { 'If-None-Match': '{E}' }, status: 200 },
    ],
  },
  {
    name: '2.7 what changes the tag of a query',
    data: S,
    steps: [
      { send: 'GET /scores.json?orderBy="$value"&limitToLast=2', headers: tagged, keep: { E: 'etag' } },
      // Outside the window: a value, a priority, a child more, a child less.
      { send: 'PUT /scores/ann.json', body: '56' },
      { send: 'PUT /scores/bob/.priority.json', body: '1' },
      { send: 'PUT /scores/fay.json', body: '1' },
      { send: 'DELETE /scores/eve.json' },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=2',
        headers: { 'If-None-Match': '{E}' },
        status: 304,
      },
      // Inside: a value.
      { send: 'PUT /scores/dan.json', body: '94' },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=2',
        headers: { 'If-None-Match': '{E}' },
        text: '{"cat":80,"dan":94}',
        keep: { F: 'etag' },
      },
      // A priority, which the text of the answer does not show.
      { send: 'PUT /scores/dan/.priority.json', body: '1' },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=2',
        headers: { 'If-None-Match': '{F}' },
        text: '{"cat":80,"dan":94}',
        keep: { G: 'etag' },
      },
      { send: 'PUT /scores/dan/.priority.json', body: 'null' },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=2',
        headers: { 'If-None-Match': '{F}' },
        status: 304,
      },
      // A child that moves into the window.
      { send: 'PUT /scores/ann.json', body: '95' },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=2',
        headers: { 'If-None-Match': '{F}' },
        text: '{"dan":94,"ann":95}',
        keep: { H: 'etag' },
      },
      // The same children the other way round.
      { send: 'PATCH /scores.json', body: '{"ann":94,"dan":95}' },
      {
        send: 'GET /scores.json?orderBy="$value"&limitToLast=2',
        headers: { 'If-None-Match': '{H}' },
        text: '{"ann":94,"dan":95}',
      },
    ],
  },
  {
    name: '2.7 the same children in another order have another tag',
    data: { l: { a: { x: 1, y: 2 }, b: { x: 2, y: 1 } } },
    steps: [
      { send: 'GET /l.json?orderBy="x"', headers: tagged, text: /^\{"a"/, keep: { E: 'etag' } },
      { send: 'GET /l.json?orderBy="y"', headers: { 'If-None-Match': '{E}' }, text: /^\{"b"/ },
      { send: 'GET /l.json?orderBy="$key"', headers: { 'If-None-Match': '{E}' }, status: 304 },
    ],
  },
  {
    name: '2.7 tags of nothing',
    data: S,
    steps: [
      { send: 'GET /none.json?orderBy="$key"', headers: tagged, text: 'null', reply: { ETag: 'null_etag' } },
      { send: 'GET /none.json?orderBy="$key"', headers: { 'If-None-Match': 'null_etag' }, status: 304 },
      {
        send: 'GET /scores.json?orderBy="$value"&startAt=99',
        headers: tagged,
        text: '{}',
        reply: { ETag: ETAG },
        keep: { E: 'etag' },
      },
      { send: 'GET /scores.json?orderBy="$value"&startAt=99', headers: { 'If-None-Match': '{E}' }, status: 304 },
      { send: 'GET /scores.json?orderBy="$key"&endAt="a"', headers: { 'If-None-Match': '{E}' }, status: 304 },
      { send: 'PUT /scores/gil.json', body: '99' },
      {
        send: 'GET /scores.json?orderBy="$value"&startAt=99',
        headers: { 'If-None-Match': '{E}' },
        text: '{"gil":99}',
      },
    ],
  },
  {
    name: '2.7 the tag of a leaf under a query is that of the leaf',
    data: S,
    steps: [
      { send: 'GET /scores/ann.json', headers: tagged, keep: { E: 'etag' } },
      { send: 'GET /scores/ann.json?orderBy="$key"', headers: tagged, text: '55', reply: { ETag: '{E}' } },
      { send: 'GET /scores/ann.json?orderBy="$key"', headers: { 'If-None-Match': '{E}' }, status: 304 },
    ],
  },
  {
    name: '2.7 no tag with shallow and count',
    data: S,
    steps: [
      { send: 'GET /scores.json?shallow=true&limitToFirst=1', headers: tagged, reply: { ETag: undefined } },
      {
        send: 'GET /scores.json?orderBy="$value"&startAt=9&count=true',
        headers: tagged,
        text: '4',
        reply: { ETag: undefined },
      },
    ],
  },
]

/** Sections 2.4, 2.7 and 3.6: what the answer to a query looks like. */
