import { type ExampleObject, mapValues } from './schemas.ts'

/** What the examples sort. It can be written as it stands. */
export const DINOSAURS = {
  lambeosaurus: { height: 2.1, length: 12.5, weight: 5000 },
  linhenykus: { height: 0.6, length: 1, weight: 3 },
  pterodactyl: { height: 0.6, length: 0.8, weight: 2 },
  stegosaurus: { height: 4, length: 9, weight: 2500 },
  triceratops: { height: 3, length: 8, weight: 11_000 },
}

/** The members of `DINOSAURS` in another order, or some of them. */
function dinosaurs(...names: readonly (keyof typeof DINOSAURS)[]): unknown {
  return Object.fromEntries(names.map((name) => [name, DINOSAURS[name]]))
}

/** Queries of `DINOSAURS`, what is shown by them and what they are answered. */
const answers: Readonly<Record<string, readonly [query: string, shows: string, answer: unknown]>> = {
  ordered: [
    'orderBy="height"',
    'by height, equal ones by key',
    dinosaurs('linhenykus', 'pterodactyl', 'lambeosaurus', 'triceratops', 'stegosaurus'),
  ],
  firstPage: ['orderBy="height"&limitToFirst=2', 'the first page', dinosaurs('linhenykus', 'pterodactyl')],
  nextPage: [
    'orderBy="height"&startAfter=0.6,"pterodactyl"&limitToFirst=2',
    'the next page, from the value and key where the first one ended',
    dinosaurs('lambeosaurus', 'triceratops'),
  ],
  last: [
    'orderBy="weight"&limitToLast=2',
    'the two heaviest, still in ascending order',
    dinosaurs('lambeosaurus', 'triceratops'),
  ],
  range: [
    'orderBy="height"&startAt=2&endBefore=4',
    'those between two heights',
    dinosaurs('lambeosaurus', 'triceratops'),
  ],
  prefix: [
    'orderBy="$key"&startAt="l"&endAt="l\\uf8ff"',
    'keys that begin with l',
    dinosaurs('lambeosaurus', 'linhenykus'),
  ],
  noneChosen: ['orderBy="height"&equalTo=1', 'no child is chosen', {}],
  counted: ['orderBy="height"&startAt=3&count=true', 'how many are chosen', 2],
  keys: ['shallow=true&limitToFirst=2', 'keys alone, in pages', { lambeosaurus: true, linhenykus: true }],
}

/** Answers to queries, each under a summary that begins with the query. */
export const queryExamples: Readonly<Record<string, ExampleObject>> = mapValues(answers, ([query, shows, value]) => ({
  summary: `\`${query}\`: ${shows}`,
  value,
}))

const bound: Readonly<Record<string, string>> = {
  number: '3',
  text: '"b"',
  nothing: 'null',
  withKey: '0.6,"pterodactyl"',
}

const filters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  orderBy: {
    child: '"height"',
    deepChild: '"dimensions/height"',
    key: '"$key"',
    value: '"$value"',
    priority: '"$priority"',
  },
  startAt: bound,
  startAfter: bound,
  endAt: { ...bound, prefix: '"b\\uf8ff"' },
  endBefore: bound,
  equalTo: { ...bound, boolean: 'true' },
}

/**
 * Values for a filter; `undefined` for any other parameter. The first is none at all: Swagger UI fills in the first one
 * of every parameter, and filters do not all go together.
 */
export function filterExamples(name: string): Readonly<Record<string, ExampleObject>> | undefined {
  const known = filters[name]
  if (known === undefined) return undefined
  const examples = mapValues(known, (value) => ({ summary: value, value }))
  return { none: { summary: 'not sent', value: '' }, ...examples }
}
