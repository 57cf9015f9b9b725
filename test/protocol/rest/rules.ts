import { SECRET } from '../../support/https-server.ts'
import { customToken, nowInSeconds, signedToken } from '../../support/token.ts'
import { U } from './data-sets.ts'
import { errors } from './errors.ts'
import type { Case, Step } from './interpreter.ts'

const admin = `auth=${encodeURIComponent(SECRET)}`
const root = `/.json?${admin}`

function userToken(uid: string, more: Readonly<Record<string, unknown>> = {}): string {
  return customToken(SECRET, { v: 1, iat: nowInSeconds(), uid, ...more })
}

const ann = `auth=${userToken('ann')}`
const bob = `auth=${userToken('bob')}`
const legacyAnn = customToken(SECRET, { v: 0, iat: nowInSeconds(), d: { uid: 'ann', role: 'editor' } })

/** Puts rules in force. */
function rules(tree: unknown): Step {
  const source = typeof tree === 'string' ? tree : JSON.stringify({ rules: tree })
  return { send: `PUT /.settings/rules.json?${admin}`, body: source, text: '{"status":"ok"}' }
}

function override(auth: unknown): string {
  return `${admin}&auth_variable_override=${encodeURIComponent(JSON.stringify(auth))}`
}

const own = { users: { $u: { '.read': '$u === auth.uid', '.write': '$u === auth.uid' } } }
const commented = '{\n  // who may\n  "rules": { ".read": true, /* nobody */ ".write": "false\n || false" }\n}\n'

/** Examples 84-93 of section 9, and what sections 5 and 6 say beside them. */
export const ruleRows: readonly Case[] = [
  {
    name: '84 85 86 nothing is allowed unless a rule says so',
    root,
    data: U,
    steps: [
      rules({}),
      { send: 'GET /users.json', error: errors.denied },
      { send: 'GET /users.json?ns=app', error: errors.deniedFirebase },
      { send: `GET /users.json?${admin}`, json: U.users },
      { send: 'GET /users.json?auth=wrong', error: errors.token },
      { send: 'PUT /users.json', body: '1', error: errors.denied },
      { send: 'GET /users.json?sv=timestamp', text: /^\d{13}$/ },
      { send: 'GET /.info/connected.json', text: 'true' },
    ],
  },
  {
    name: '87 a user in a place of its own',
    root,
    steps: [
      rules(own),
      { send: `PUT /users/ann.json?${ann}`, body: '{"a":1}', json: { a: 1 } },
      { send: `PUT /users/ann.json?${bob}`, body: '2', error: errors.denied },
      { send: `GET /users/ann/a.json?${ann}`, text: '1' },
      { send: `GET /users/ann/a.json?${bob}`, error: errors.denied },
      { send: 'GET /users/ann/a.json', error: errors.denied },
      { send: `GET /users.json?${ann}`, error: errors.denied },
      { send: `PATCH /users/ann.json?${ann}`, body: '{"b":2}', json: { b: 2 } },
      { send: `PATCH /users.json?${ann}`, body: '{"ann/c":3,"bob/c":3}', error: errors.denied },
      { send: `POST /users/ann/list.json?${ann}`, body: '1', status: 200 },
      { send: `POST /users/bob/list.json?${ann}`, body: '1', error: errors.denied },
      { send: `DELETE /users/ann/list.json?${ann}`, text: 'null' },
      { send: `DELETE /users/ann.json?${bob}`, error: errors.denied },
    ],
    after: { [root]: { users: { ann: { a: 1, b: 2 } } } },
  },
  {
    name: '5.1 every way to carry a token',
    root,
    data: { users: { ann: 1 } },
    steps: [
      rules(own),
      { send: `GET /users/ann.json?access_token=${userToken('ann')}`, text: '1' },
      { send: 'GET /users/ann.json', headers: { Authorization: `Bearer ${userToken('ann')}` }, text: '1' },
      { send: `GET /users/ann.json?auth=${legacyAnn}`, text: '1' },
      { send: `GET /users/ann.json?${ann}&access_token=wrong`, text: '1' },
      { send: `GET /users/ann.json?access_token=${userToken('bob')}`, error: errors.deniedFirebase },
      { send: 'GET /users/ann.json?auth=owner', error: errors.token },
      { send: 'GET /users/ann.json', headers: { Authorization: 'Bearer owner' }, error: errors.token },
    ],
  },
  {
    name: '5.2 an administrator by token',
    root,
    data: { a: 1 },
    steps: [
      rules({ '.validate': 'false' }),
      { send: `GET /a.json?auth=${userToken('root', { admin: true })}`, text: '1' },
      { send: `PUT /a.json?auth=${userToken('root', { admin: true })}`, body: '2', text: '2' },
      { send: `GET /a.json?auth=${userToken('root', { admin: false })}`, error: errors.denied },
      { send: `GET /.settings/rules.json?auth=${userToken('root', { admin: true })}`, status: 200 },
    ],
  },
  {
    name: '5.2 what rules see of a token',
    root,
    data: { a: 1 },
    steps: [
      rules({ a: { '.read': "auth.provider == 'custom' && auth.token.role == 'editor' && auth.role == null" } }),
      { send: `GET /a.json?auth=${userToken('ann', { claims: { role: 'editor' } })}`, text: '1' },
      { send: `GET /a.json?auth=${userToken('ann', { claims: { role: 'reader' } })}`, error: errors.denied },
      { send: `GET /a.json?auth=${legacyAnn}`, error: errors.denied },
      rules({ a: { '.read': "auth.role == 'editor' && auth.token.role == 'editor'" } }),
      { send: `GET /a.json?auth=${legacyAnn}`, text: '1' },
    ],
  },
  {
    name: '5.2 refused tokens',
    root,
    steps: [
      rules({ '.read': true }),
      {
        send: `GET /a.json?auth=${customToken('another secret', { v: 1, iat: nowInSeconds(), uid: 'ann' })}`,
        error: errors.token,
      },
      { send: `GET /a.json?auth=${userToken('ann', { exp: nowInSeconds() - 1 })}`, error: errors.tokenExpired },
      { send: `GET /a.json?auth=${userToken('ann', { v: 7 })}`, error: errors.tokenPayload },
      { send: `GET /a.json?auth=${userToken('not legal')}`, error: errors.tokenPayload },
      { send: `GET /a.json?auth=${userToken('ann', { iat: nowInSeconds() + 600 })}`, error: errors.tokenRefused },
      {
        send: `GET /a.json?auth=${signedToken(SECRET, { alg: 'none' }, { v: 1, iat: nowInSeconds(), uid: 'ann' })}`,
        error: errors.tokenRefused,
      },
    ],
  },
  {
    name: '5.4 an administrator in the place of a user',
    root,
    data: { users: { ann: 1 } },
    steps: [
      rules(own),
      { send: `GET /users/ann.json?${override({ uid: 'ann' })}`, text: '1' },
      { send: `GET /users/ann.json?${override({ uid: 'bob' })}`, error: errors.denied },
      { send: `GET /users/ann.json?${override(null)}`, error: errors.denied },
      { send: `PUT /users/bob.json?${override({ uid: 'bob' })}`, body: '2', text: '2' },
      { send: `PUT /users/bob.json?${override({ uid: 'ann' })}`, body: '3', error: errors.denied },
      { send: `GET /users/ann.json?${override('ann')}`, error: errors.override },
      { send: `GET /users/ann.json?${override([1])}`, error: errors.override },
      { send: `GET /users/ann.json?${admin}&auth_variable_override=%7B`, error: errors.override },
      { send: `GET /users/ann.json?${ann}&auth_variable_override=null`, error: errors.denied },
      { send: `GET /users/ann.json?auth_variable_override=null&ns=app`, error: errors.deniedFirebase },
    ],
    after: { [root]: { users: { ann: 1, bob: 2 } } },
  },
  {
    name: '88 a read is allowed as a whole or not at all',
    root,
    data: { r: { a: 1, b: 2 } },
    steps: [
      rules({ r: { '.read': false, a: { '.read': true } } }),
      { send: 'GET /r.json', error: errors.denied },
      { send: 'GET /r/a.json', text: '1' },
      { send: 'GET /r/b.json', error: errors.denied },
      { send: 'GET /r.json?shallow=true', error: errors.denied },
      { send: 'GET /r.json?count=true', error: errors.denied },
      { send: 'GET /r.json?orderBy="$key"', error: errors.denied },
      { send: 'GET /r/a/.priority.json', text: 'null' },
      { send: 'GET /r/b/.priority.json', error: errors.denied },
    ],
  },
  {
    name: '89 what is written is validated',
    root,
    steps: [
      rules({ foo: { '.read': true, '.write': true, '.validate': 'newData.isString() && newData.val().length < 3' } }),
      { send: 'PUT /foo.json', body: '"ab"', text: '"ab"' },
      { send: 'PUT /foo.json', body: '"abc"', error: errors.denied },
      { send: 'PUT /foo.json', body: '7', error: errors.denied },
      { send: 'GET /foo.json', text: '"ab"' },
      { send: 'DELETE /foo.json', text: 'null' },
      { send: `PUT /foo.json?${admin}`, body: '"abc"', text: '"abc"' },
    ],
  },
  {
    name: '90 taking away a child validates what is above it',
    root,
    data: { u: { f: { name: 'F', age: 26 } } },
    steps: [
      rules({ u: { $x: { '.write': true, '.validate': "newData.hasChildren(['name','age'])" } } }),
      { send: 'PUT /u/f/age.json', body: '27', text: '27' },
      { send: 'DELETE /u/f/name.json', error: errors.denied },
      { send: 'PATCH /u/f.json', body: '{"name":null,"more":1}', error: errors.denied },
      { send: 'DELETE /u/f.json', text: 'null' },
    ],
    after: { [root]: null },
  },
  {
    name: '91 92 rules that are wrong stay outside',
    root,
    data: { a: 1 },
    steps: [
      rules({ '.read': true }),
      {
        send: `PUT /.settings/rules.json?${admin}`,
        body: '{"rules":{".read":"7"}}',
        status: 400,
        text: /^\{"errcode":20602,"message":"The rule has a invalid format","error":"Line 1: .+"\}$/,
      },
      {
        send: `PUT /.settings/rules.json?${admin}`,
        body: '{"rules":{\n"$a":{},\n"$b":{}}}',
        status: 400,
        text: /^\{"errcode":20601,"message":"Single node can't has multi wildcards","error":"Line 3: .+"\}$/,
      },
      { send: `PUT /.settings/rules.json?${admin}`, body: '{"rules":', status: 400, text: /^\{"errcode":20602,/ },
      { send: `PUT /.settings/rules.json?${admin}`, body: '', error: errors.noData },
      { send: 'GET /a.json', text: '1' },
      { send: `GET /.settings/rules.json?${admin}`, text: '{"rules":{".read":true}}' },
    ],
  },
  {
    name: '93 rules belong to the owner',
    root,
    steps: [
      rules({ '.read': true, '.write': true }),
      { send: 'GET /.settings/rules.json', error: errors.denied },
      { send: 'GET /.settings/rules.json?ns=app', error: errors.deniedFirebase },
      { send: `GET /.settings/rules.json?${ann}`, error: errors.denied },
      { send: 'PUT /.settings/rules.json', body: '{"rules":{}}', error: errors.denied },
      { send: 'GET /.settings/rules.json?auth=wrong', error: errors.token },
      { send: `DELETE /.settings/rules.json?${admin}`, error: errors.method },
      { send: `POST /.settings/rules.json?${admin}`, body: '{}', error: errors.method },
      { send: `PATCH /.settings/rules.json?${admin}`, body: '{}', error: errors.method },
      { send: `GET /.settings/other.json?${admin}`, error: errors.unknownSetting },
      { send: 'GET /.settings/rules', error: errors.unknownSetting },
      { send: `PUT /.settings/rules/a.json?${admin}`, body: '1', error: errors.unknownSetting },
      { send: `GET /.settings/rules.json?${admin}&format=other`, error: errors.parameter },
      { send: `PUT /.settings/rules.json?${admin}&dryRun=maybe`, body: '{"rules":{}}', error: errors.parameter },
    ],
  },
  {
    name: '6.6 the source comes back as it was sent',
    root,
    steps: [
      rules(commented),
      { send: `GET /.settings/rules.json?${admin}`, text: commented },
      {
        send: `GET /.settings/rules.json?${admin}&format=strict`,
        json: { rules: { '.read': true, '.write': 'false\n || false' } },
      },
      { send: `PUT /.settings/rules.json?${admin}&dryRun=true`, body: '{"rules":{}}', text: '{"status":"ok"}' },
      {
        send: `PUT /.settings/rules.json?${admin}&dryRun=true`,
        body: '{"rules":{".read":"x"}}',
        status: 400,
        text: /"error":"Line 1: /,
      },
      { send: `GET /.settings/rules.json?${admin}`, text: commented },
      { send: 'PUT /a.json', body: '1', error: errors.denied },
    ],
  },
  {
    name: '6.6 the default of writeSizeLimit',
    root,
    steps: [
      rules({ '.write': true }),
      { send: `GET /.settings/defaultWriteSizeLimit.json?${admin}`, text: '"large"' },
      { send: `PUT /.settings/defaultWriteSizeLimit.json?${admin}`, body: '"tiny"', text: '"tiny"' },
      { send: `GET /.settings/defaultWriteSizeLimit.json?${admin}`, text: '"tiny"' },
      { send: `PUT /.settings/defaultWriteSizeLimit.json?${admin}`, body: '"huge"', error: errors.parameter },
      { send: `PUT /.settings/defaultWriteSizeLimit.json?${admin}`, body: '7', error: errors.data },
      { send: 'GET /.settings/defaultWriteSizeLimit.json', error: errors.denied },
      { send: 'PUT /a.json', body: '1', text: '1' },
      { send: `PUT /.settings/defaultWriteSizeLimit.json?${admin}`, body: '"large"', text: '"large"' },
    ],
  },
  {
    name: '2 the order in which requests fail',
    root,
    data: { a: { n: 1 } },
    steps: [
      rules({ a: { '.write': "auth.uid == 'ann'", '.validate': 'newData.isNumber()' }, open: { '.write': true } }),
      // Permission before condition, condition before validity; the body before what depends on it.
      { send: 'PUT /a.json', body: '{', error: errors.denied },
      { send: `PUT /a.json?${ann}`, body: '{', error: errors.data },
      { send: 'PUT /a.json', headers: { 'if-match': 'x' }, body: '1', error: errors.denied },
      // Whoever may not read is not shown what stands there.
      { send: `PUT /a.json?${ann}`, headers: { 'if-match': 'x' }, body: '1', error: errors.denied },
      rules({ a: { '.read': true, '.write': "auth.uid == 'ann'", '.validate': 'newData.isNumber()' } }),
      { send: `PUT /a.json?${ann}`, headers: { 'if-match': 'x' }, body: '"s"', status: 412, text: '{"n":1}' },
      { send: `PUT /a.json?${ann}`, body: '"s"', error: errors.denied },
      { send: `PUT /a/none/.priority.json?${bob}`, body: '1', error: errors.denied },
    ],
  },
  {
    name: '6.4 server values in rules',
    root,
    data: { n: 1 },
    steps: [
      rules({ at: { '.write': 'newData.val() == now' }, n: { '.write': 'newData.val() == data.val() + 2' } }),
      { send: 'PUT /at.json', body: '{".sv":"timestamp"}', text: /^\d{13}$/ },
      { send: 'PUT /at.json', body: '1', error: errors.denied },
      { send: 'PUT /n.json', body: '{".sv":{"increment":2}}', text: '3' },
      { send: 'PUT /n.json', body: '{".sv":{"increment":1}}', error: errors.denied },
    ],
  },
  {
    name: '6.4 queries in rules',
    root,
    data: { list: { a: { h: 1 }, b: { h: 2 } } },
    steps: [
      rules({ list: { '.read': "query.orderByChild == 'h' && query.limitToFirst <= 10 && query.startAt == 2" } }),
      { send: 'GET /list.json?orderBy="h"&limitToFirst=10&startAt=2', json: { b: { h: 2 } } },
      { send: 'GET /list.json?orderBy="h"&limitToFirst=11&startAt=2', error: errors.denied },
      { send: 'GET /list.json?orderBy="h"&startAt=2', error: errors.denied },
      { send: 'GET /list.json', error: errors.denied },
      rules({ list: { '.read': 'query.orderByKey' } }),
      { send: 'GET /list.json', json: { a: { h: 1 }, b: { h: 2 } } },
      { send: 'GET /list.json?orderBy="$value"', error: errors.denied },
    ],
  },
  {
    name: '7 why a rule has refused',
    root,
    steps: [
      rules(own),
      {
        send: `GET /users/bob.json?auth=${userToken('ann', { debug: true })}`,
        error: errors.denied,
        reply: { 'X-Firebase-Auth-Debug': /\/users\/\$u.*\.read.*\$u === auth\.uid.*false/ },
      },
      {
        send: `GET /users/ann.json?auth=${userToken('ann', { debug: true })}`,
        text: 'null',
        reply: { 'X-Firebase-Auth-Debug': /\$u === auth\.uid.*true/ },
      },
      { send: `GET /users/bob.json?${ann}`, error: errors.denied, reply: { 'X-Firebase-Auth-Debug': undefined } },
    ],
  },
]
