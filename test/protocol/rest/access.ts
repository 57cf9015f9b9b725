import { SECRET } from '../../support/https-server.ts'
import { errors } from './errors.ts'
import type { Case, Step } from './interpreter.ts'

const OTHER_SECRET = 'a secret of another application'

/** Two applications, `shop` open and `vault` closed, each a label below `db.example.org`. */
export const twoApplications = {
  shop: { open: true, secret: OTHER_SECRET },
  vault: { open: false, secret: SECRET },
} as const

export const BASE_DOMAIN = 'db.example.org'

const bearer = { Authorization: `Bearer ${SECRET}` }
const encoded = encodeURIComponent(SECRET)
const asSecret = `ns=vault&auth=${encoded}`

function at(host: string): Readonly<Record<string, string>> {
  return { Host: host }
}

/** Every way of showing a wrong credential. */
const wrong: readonly Step[] = [
  { send: 'GET /a.json?ns=vault&auth=wrong', error: errors.token },
  { send: 'GET /a.json?ns=vault&auth=', error: errors.token },
  { send: 'GET /a.json?ns=vault&access_token=wrong', error: errors.token },
  { send: `GET /a.json?ns=vault&auth=wrong&access_token=${encoded}`, error: errors.token },
  { send: `GET /a.json?ns=vault&access_token=wrong`, headers: bearer, error: errors.token },
  { send: 'GET /a.json?ns=vault', headers: { Authorization: 'Bearer wrong' }, error: errors.token },
  { send: 'GET /a.json?ns=vault', headers: { Authorization: 'Bearer' }, error: errors.token },
  { send: 'GET /a.json?ns=vault', headers: { Authorization: SECRET }, error: errors.token },
  { send: 'GET /a.json?ns=vault', headers: { Authorization: 'Basic YTpi' }, error: errors.token },
  { send: `GET /a.json?ns=vault&auth=${encoded}x`, error: errors.token },
  { send: `GET /a.json?ns=vault&auth=${encodeURIComponent(OTHER_SECRET)}`, error: errors.token },
  { send: 'GET /a.json?ns=shop&auth=wrong', error: errors.token },
  { send: `PUT /a.json?ns=shop&auth=${encoded}`, body: '1', error: errors.token },
  { send: 'GET /a.json?ns=vault&auth=eyJhbGciOiJub25lIn0.e30.', error: errors.tokenRefused },
]

/** Section 0.4 and 5.1: which application, and who may enter where rules allow nothing or everything. */
export const access: readonly Case[] = [
  {
    name: '0.4 ns',
    root: '/.json?ns=shop',
    data: { a: 1 },
    steps: [
      { send: 'GET /a.json?ns=shop', text: '1' },
      { send: 'GET /a.json', error: errors.noApplication },
      { send: 'GET /a.json?ns=other', error: errors.unknownApplication },
      { send: 'GET /a.json?ns=', error: errors.unknownApplication },
      { send: 'GET /a.json?ns=__proto__', error: errors.unknownApplication },
      { send: 'GET /a.json?ns=SHOP', error: errors.unknownApplication },
      { send: 'PUT /a.json', body: '2', error: errors.noApplication },
      { send: 'PUT /a.json?ns=other', body: '2', error: errors.unknownApplication },
      { send: 'GET /no-suffix', error: errors.noApplication },
      { send: 'OPTIONS /a.json', status: 204 },
    ],
    after: { '/.json?ns=shop': { a: 1 } },
  },
  {
    name: '0.4 app names an application and does not mark a Firebase client',
    root: '/.json?ns=shop',
    data: { list: { 9: 1, 10: 2 } },
    steps: [
      { send: 'GET /list.json?app=shop', text: '{"9":1,"10":2}' },
      { send: 'GET /list.json?app=shop&orderBy="$key"', text: '{"10":2,"9":1}' },
      { send: 'GET /list.json?ns=shop&orderBy="$key"', text: '{"9":1,"10":2}' },
      { send: 'GET /list.json?app=shop&orderBy="$value"&startAt=true', error: errors.booleanBound },
      { send: 'GET /list.json?app=vault', error: errors.denied },
      { send: 'PUT /list.json?app=vault', body: '2', error: errors.denied },
      { send: 'GET /list.json?ns=vault', error: errors.deniedFirebase },
      { send: 'GET /list.json?app=vault&ns=shop', error: errors.deniedFirebase },
      { send: 'GET /list.json?app=other&ns=shop', error: errors.unknownApplication },
      { send: 'GET /list.json?app=', error: errors.unknownApplication },
      { send: 'GET /list.json?app=shop&app=shop', error: errors.parameter },
      { send: 'GET /list/9.json?app=shop', headers: at('vault.db.example.org'), text: '1' },
      { send: `GET /a.json?app=vault&auth=${encoded}`, text: 'null' },
      { send: `GET /.settings/rules.json?app=vault`, error: errors.denied },
    ],
    after: { '/.json?app=shop': { list: { 9: 1, 10: 2 } } },
  },
  {
    name: '0.4 the first label of the host',
    root: '/.json?ns=shop',
    data: { a: 1 },
    steps: [
      { send: 'GET /a.json', headers: at('shop.db.example.org'), text: '1' },
      { send: 'GET /a.json', headers: at('shop.db.example.org:8443'), text: '1' },
      { send: 'GET /a.json', headers: at('SHOP.DB.example.ORG'), text: '1' },
      { send: 'GET /a.json', headers: at('other.db.example.org'), error: errors.unknownApplication },
      { send: 'GET /a.json', headers: at('db.example.org'), error: errors.noApplication },
      { send: 'GET /a.json', headers: at('shop.example.org'), error: errors.noApplication },
      { send: 'GET /a.json', headers: at('shopdb.example.org'), error: errors.noApplication },
      { send: 'GET /a.json', headers: at('vault.db.example.org'), error: errors.denied },
      { send: 'GET /a.json?ns=shop', headers: at('vault.db.example.org'), text: '1' },
      { send: 'GET /a.json?ns=other', headers: at('shop.db.example.org'), error: errors.unknownApplication },
    ],
  },
  {
    name: '5.1 a closed application',
    root: `/.json?${asSecret}`,
    data: { a: 1 },
    steps: [
      { send: 'GET /a.json', headers: at('vault.db.example.org'), error: errors.denied },
      { send: 'GET /a.json?shallow=true', headers: at('vault.db.example.org'), error: errors.denied },
      { send: 'PUT /a.json', headers: at('vault.db.example.org'), body: '2', error: errors.denied },
      { send: 'PUT /a.json', headers: at('vault.db.example.org'), body: '{', error: errors.denied },
      { send: 'PATCH /a.json', headers: at('vault.db.example.org'), body: '{}', error: errors.denied },
      {
        send: 'PUT /a.json',
        headers: { ...at('vault.db.example.org'), 'if-match': 'x' },
        body: '2',
        error: errors.denied,
      },
      { send: 'POST /a.json', headers: at('vault.db.example.org'), body: '2', error: errors.denied },
      { send: 'PATCH /a.json', headers: at('vault.db.example.org'), body: '{"a":2}', error: errors.denied },
      { send: 'DELETE /a.json', headers: at('vault.db.example.org'), error: errors.denied },
      {
        send: 'GET /a.json?callback=cb',
        headers: at('vault.db.example.org'),
        status: 403,
        text: /^\/\*\*\/cb\(\{"errcode":20401,/,
      },
      { send: 'GET /a.json?sv=timestamp', headers: at('vault.db.example.org'), text: /^\d{13}$/ },
    ],
    after: { [`/.json?${asSecret}`]: { a: 1 } },
  },
  {
    name: '7 a denied Firebase client gets 401',
    root: `/.json?${asSecret}`,
    steps: [
      { send: 'GET /a.json?ns=vault', error: errors.deniedFirebase },
      {
        send: 'GET /a.json',
        headers: { ...at('vault.db.example.org'), 'X-Firebase-ETag': 'true' },
        error: errors.deniedFirebase,
      },
      {
        send: 'GET /a.json',
        headers: { ...at('vault.db.example.org'), 'X-Goog-Api-Client': 'x' },
        error: errors.deniedFirebase,
      },
      {
        send: 'PUT /a.json',
        body: '1',
        headers: { ...at('vault.db.example.org'), 'X-Firebase-Decoding': '1' },
        error: errors.deniedFirebase,
      },
    ],
  },
  {
    name: '5.1 the secret opens',
    root: `/.json?${asSecret}`,
    data: { a: 1 },
    steps: [
      { send: `GET /a.json?ns=vault&auth=${encoded}`, text: '1' },
      { send: `GET /a.json?ns=vault&access_token=${encoded}`, text: '1' },
      { send: 'GET /a.json?ns=vault', headers: bearer, text: '1' },
      { send: 'GET /a.json?ns=vault', headers: { Authorization: `bearer   ${SECRET}` }, text: '1' },
      { send: `GET /a.json?ns=vault&auth=${encoded}&access_token=wrong`, text: '1' },
      { send: `GET /a.json?ns=vault&access_token=${encoded}`, headers: { Authorization: 'Bearer wrong' }, text: '1' },
      { send: `PUT /a.json?ns=vault&auth=${encoded}`, body: '2', text: '2' },
      { send: `GET /a.json?ns=shop&auth=${encodeURIComponent(OTHER_SECRET)}`, status: 200 },
    ],
    after: { [`/a.json?${asSecret}`]: 2 },
  },
  { name: '5.2 a wrong credential is never nobody', root: '/.json?ns=shop', steps: wrong },
]
