/*
 * Listens to a node and keeps what is there from the events alone. Nodes are Maps from key to node, leaves are JSON.
 * With `format=export` priorities are members like any other.
 */

const VALUE = '.value'
const PRIORITY = '.priority'
/** Events shown, and characters shown of one. */
const MOST_EVENTS = 100
const LONGEST_EVENT = 300
/** Characters shown of what is there. */
const LONGEST_CACHE = 1_000_000

const ROOT = new URL('../', location.href)
const listenForm = document.getElementById('listen')
const putForm = document.getElementById('put')
const state = document.getElementById('state')
const answer = document.getElementById('answer')
const cacheView = document.getElementById('cache')
const eventsView = document.getElementById('events')

/** Last value received; `undefined` for nothing. */
let cache
let stream
let isDrawn = true

/** JSON as a node. Arrays are nodes with keys 0, 1, 2; what is null or empty is not there. */
function nodeOf(json) {
  if (json === null) return undefined
  if (typeof json !== 'object') return json
  const node = new Map()
  for (const [key, member] of Object.entries(json)) {
    const child = nodeOf(member)
    if (child !== undefined) node.set(key, child)
  }
  return tidy(node)
}

/** A node without children is none, and one that has only a value is that leaf. */
function tidy(node) {
  if (node.size === 0 || (node.size === 1 && node.has(PRIORITY))) return undefined
  return node.size === 1 && node.has(VALUE) ? node.get(VALUE) : node
}

/** The node with another one at a path below it; `undefined` takes away. */
function withNode(node, keys, child) {
  if (keys.length === 0) return child
  const [key, ...below] = keys
  const isLeaf = !(node instanceof Map)
  const hasValue = isLeaf ? node !== undefined : node.has(VALUE)
  // Nothing can be taken away below a leaf but its priority.
  if (hasValue && child === undefined && key !== PRIORITY) return node
  const copy = isLeaf ? new Map(hasValue ? [[VALUE, node]] : []) : new Map(node)
  if (key !== PRIORITY) copy.delete(VALUE)
  const next = withNode(copy.get(key), below, child)
  if (next === undefined) copy.delete(key)
  else copy.set(key, next)
  return tidy(copy)
}

function keysOf(path) {
  return path.split('/').filter((key) => key !== '')
}

/** What an event makes of what was there. */
function applied(kind, path, data) {
  if (kind === 'put') return withNode(cache, keysOf(path), nodeOf(data))
  const members = Object.entries(data ?? {}).map(([place, member]) => ({
    keys: [...keysOf(path), ...keysOf(place)],
    child: nodeOf(member),
  }))
  return members.sort(compareMembers).reduce((node, { keys, child }) => withNode(node, keys, child), cache)
}

/**
 * What is given, then priorities, then what is taken away. All of it belongs together: a node that gets one child and
 * loses another must not be without any in between, for its priority would go with it.
 */
function compareMembers(left, right) {
  const [a, b] = [left, right].map(({ keys, child }) => (child === undefined ? 2 : keys.at(-1) === PRIORITY ? 1 : 0))
  return a - b
}

/** Integers first, then by code unit: the order of a read. */
function compareKeys([left], [right]) {
  const [a, b] = [left, right].map((key) => (/^-?\d{1,10}$/.test(key) ? Number(key) : undefined))
  if (a !== undefined && b !== undefined && a !== b) return a - b
  if ((a === undefined) !== (b === undefined)) return a === undefined ? 1 : -1
  return left < right ? -1 : 1
}

/** Indented JSON. */
function textOf(node, indent = '') {
  if (!(node instanceof Map)) return JSON.stringify(node ?? null)
  const deeper = `${indent}  `
  const members = [...node].sort(compareKeys)
  const lines = members.map(([key, child]) => `${deeper}${JSON.stringify(key)}: ${textOf(child, deeper)}`)
  return `{\n${lines.join(',\n')}\n${indent}}`
}

function cut(text, length) {
  return text.length > length ? `${text.slice(0, length)}…` : text
}

/** Many events may come between two pictures. */
function draw() {
  if (!isDrawn) return
  isDrawn = false
  requestAnimationFrame(() => {
    isDrawn = true
    cacheView.textContent = cut(textOf(cache), LONGEST_CACHE)
  })
}

function show(text) {
  const item = document.createElement('li')
  item.textContent = cut(text, LONGEST_EVENT)
  eventsView.prepend(item)
  while (eventsView.childElementCount > MOST_EVENTS) eventsView.lastElementChild.remove()
}

/** Each key escaped for itself. */
function addressOf(path, search) {
  const keys = keysOf(path.trim().replace(/\.json$/, ''))
  const url = new URL(`${keys.map(encodeURIComponent).join('/')}.json`, ROOT)
  url.search = search.toString()
  return url
}

function parametersOf(query) {
  return new URLSearchParams(query.trim().replace(/^\?/, ''))
}

function stop(why) {
  stream?.close()
  stream = undefined
  state.textContent = why
}

/** Why the service ends a stream, in words for whoever listens. */
function wordsOf(kind, reason) {
  if (kind === 'auth_revoked') return 'ended: the credential is not good any more; listen again with a new one'
  if (reason === 'Permission denied') return 'ended: the rules do not let you read this any more'
  return `ended by the service: ${reason}`
}

/** The parameters of a query, with the credential of the form, if there is one. It is kept nowhere else. */
function withCredential(parameters) {
  const credential = listenForm.elements.credential.value
  if (credential !== '') parameters.set('auth', credential)
  return parameters
}

/** A stream that did not open does not say why, but an ordinary request for it does. */
async function explain(url, refused) {
  const control = new AbortController()
  let why = 'the stream could not be opened'
  try {
    const options = { headers: { Accept: 'text/event-stream' }, redirect: 'manual', signal: control.signal }
    const reply = await fetch(url, options)
    if (reply.type === 'opaqueredirect') why = 'streams are served by another host: open this page there'
    else if (!reply.ok) why = `${reply.status} ${(await reply.json()).error}`
    control.abort()
  } catch {}
  if (stream === refused) stop(why)
}

function listen(path, query) {
  stop('connecting')
  cache = undefined
  eventsView.replaceChildren()
  draw()
  const parameters = withCredential(parametersOf(query))
  // If the connection breaks, the next one begins with the missed events only.
  parameters.set('resume', 'true')
  const url = addressOf(path, parameters)
  const opened = new EventSource(url)
  stream = opened
  opened.onopen = () => {
    state.textContent = 'listening'
  }
  opened.onerror = () => {
    if (opened.readyState === EventSource.CLOSED) void explain(url, opened)
    else state.textContent = 'connecting again'
  }
  for (const kind of ['put', 'patch']) {
    opened.addEventListener(kind, (event) => {
      const { path: place, data } = JSON.parse(event.data)
      cache = applied(kind, place, data)
      show(`${kind} ${place} ${JSON.stringify(data)}`)
      draw()
    })
  }
  for (const kind of ['cancel', 'auth_revoked']) {
    opened.addEventListener(kind, (event) => {
      show(`${kind} ${event.data}`)
      stop(wordsOf(kind, event.data))
    })
  }
}

/** With the credential and application of what is listened to. */
async function put(path, json) {
  const given = parametersOf(listenForm.elements.query.value)
  const parameters = new URLSearchParams()
  for (const name of ['auth', 'access_token', 'app', 'ns']) if (given.has(name)) parameters.set(name, given.get(name))
  answer.textContent = '…'
  try {
    const reply = await fetch(addressOf(path, withCredential(parameters)), { method: 'PUT', body: json })
    answer.textContent = cut(`${reply.status} ${await reply.text()}`, LONGEST_EVENT)
  } catch (error) {
    answer.textContent = error.message
  }
}

listenForm.addEventListener('submit', (event) => {
  event.preventDefault()
  const { path, query } = listenForm.elements
  listen(path.value, query.value)
})
document.getElementById('stop').addEventListener('click', () => stop('not listening'))
putForm.addEventListener('submit', (event) => {
  event.preventDefault()
  const { path, json } = putForm.elements
  void put(path.value, json.value)
})
