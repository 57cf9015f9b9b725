import { describe, expect, test } from 'bun:test'
import { dirname } from 'node:path'
import { cyclesOf, roomOf, sourceFiles } from './imports.ts'
import { ENGINE_FREE, LARGER_FOLDERS, MAX_FILES, MAX_LINES, ROOMS } from './rooms.ts'

/** Comments that begin a line, with words that leave the subject or what happens to it open. */
const VAGUE = /^ *(?:\/\/|\/?\*).*(?<!`)\b(?:whoever|nobody|somebody|anybody|tells?|told|telling)\b.*$/gim
/** Names of an earlier vocabulary, each with a standard term in its place. */
const REPLACED =
  /\b(?:Court|Judge|Visit|Verdict|WriteCase|Permissions|SettledReads|RuleBook|Gate|Places|Holdings|AwaitedBodies|Deadlines|FairTurns|beginSilence|endSilence|cutOff|Desk|Finding|Handover|Repeatable|Dress|dressedReply|PiecewiseAnswer|newcomers|isTroubled|ANYBODY|OWNER|\w+Verdict|\w*[uU]nderWay|inSilence|isTold)\b|[#.](?:told|tell\w*)\b/g

const files = await sourceFiles()

function withoutComments(text: string): string {
  return text.replace(/^ *(?:\/\/|\/?\*).*$/gm, '')
}

describe('the rooms of src/', () => {
  test('every room is on the list', () => {
    expect([...new Set(files.map(({ path }) => roomOf(path)))].toSorted()).toEqual(Object.keys(ROOMS).toSorted())
  })

  test.each(Object.entries(ROOMS))('%s imports only the rooms it may', (room, allowed) => {
    const foreign = files
      .filter(({ path }) => roomOf(path) === room)
      .flatMap(({ path, imports }) => imports.map((target) => ({ path, target, to: roomOf(target) })))
      .filter(({ to }) => to !== room)
    expect(
      foreign.filter(({ to }) => !allowed.includes(to)).map(({ path, target }) => `${path} imports ${target}`),
    ).toEqual([])
  })

  test('only the contract of the store is seen by rooms that do not choose an engine', () => {
    const engines = files
      .filter(({ path }) => ENGINE_FREE.includes(roomOf(path)))
      .flatMap(({ path, imports }) =>
        imports
          .filter((target) => /^src\/store\/(sqlite|postgres)\//.test(target))
          .map((target) => `${path} imports ${target}`),
      )
    expect(engines).toEqual([])
  })

  test('the planning of rows depends on no engine', () => {
    const engines = files
      .filter(({ path }) => path.startsWith('src/store/rows/'))
      .flatMap(({ path, text, imports }) => [
        ...imports
          .filter((target) => target.startsWith('src/store/sqlite/'))
          .map((target) => `${path} imports ${target}`),
        ...(/'(bun:sqlite|drizzle-orm)/.test(text) ? [`${path} imports a database library`] : []),
      ])
    expect(engines).toEqual([])
  })

  test('the allow-list has no circle', () => {
    const rooms = Object.entries(ROOMS).map(([path, imports]) => ({ path, imports, text: '' }))
    expect(cyclesOf(rooms)).toEqual([])
  })

  test('no files import each other in a circle', () => {
    expect(cyclesOf(files)).toEqual([])
  })

  test('a file has at most 300 lines', () => {
    const long = files.filter(({ text }) => text.split('\n').length - 1 > MAX_LINES)
    expect(long.map(({ path }) => path)).toEqual([])
  })

  test('names are standard terms', () => {
    const earlier = files.flatMap(({ path, text }) =>
      [...withoutComments(text).matchAll(REPLACED)].map(([name]) => `${path}: ${name}`),
    )
    expect(earlier).toEqual([])
  })

  test('comments name the subject instead of "whoever", "nobody" and the like', () => {
    const vague = files.flatMap(({ path, text }) => text.match(VAGUE)?.map((line) => `${path}: ${line.trim()}`) ?? [])
    expect(vague).toEqual([])
  })

  test('a folder holds a bounded number of files', () => {
    const counts = new Map<string, number>()
    for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    expect([...counts].filter(([folder, count]) => count > (LARGER_FOLDERS[folder] ?? MAX_FILES))).toEqual([])
  })
})

describe('the finder of circles', () => {
  test.each([
    [{ a: ['b'], b: ['c'], c: ['a'], d: ['a'] }, [['a', 'b', 'c']]],
    [{ a: ['b', 'c'], b: ['c'], c: [] }, []],
    [
      { a: ['b'], b: ['a'], c: ['d'], d: ['c', 'a'] },
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
  ])('%j', (graph, cycles) => {
    const nodes = Object.entries(graph).map(([path, imports]) => ({ path, imports, text: '' }))
    expect(cyclesOf(nodes)).toEqual(cycles)
  })
})
