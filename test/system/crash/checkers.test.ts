import { describe, expect, test } from 'bun:test'
import { Disk } from './disk.ts'
import type { Luck } from './disk-file.ts'
import { Random } from './random.ts'
import type { Entry } from './recording.ts'
import { Region, type RegionChange } from './region.ts'

/** What was acknowledged, and a request that was under way when the server died. */
const PAIR: RegionChange = {
  kind: 'write',
  writes: [
    [['left'], 1],
    [['right', 'side'], 1],
  ],
}
const UNDER_WAY: RegionChange = {
  kind: 'write',
  writes: [
    [['left'], 2],
    [['right', 'side'], 2],
    [['more'], 'x'],
  ],
}
const APPENDED: RegionChange = { kind: 'append', keys: ['posts'], value: 'posted' }

const FOUND: readonly [what: string, underWay: RegionChange | undefined, text: string, isRight: boolean][] = [
  ['all that was acknowledged', UNDER_WAY, '{"left":1,"right":{"side":1}}', true],
  ['and what was under way', UNDER_WAY, '{"left":2,"more":"x","right":{"side":2}}', true],
  ['one half of it', UNDER_WAY, '{"left":2,"right":{"side":1}}', false],
  ['nearly all of it', UNDER_WAY, '{"left":2,"right":{"side":2}}', false],
  ['nothing', UNDER_WAY, 'null', false],
  ['half of what was acknowledged', undefined, '{"left":1}', false],
  ['more than that', undefined, '{"left":1,"more":"x","right":{"side":1}}', false],
  ['a child of a name nobody was told', APPENDED, '{"left":1,"posts":{"-a":"posted"},"right":{"side":1}}', true],
  ['two of them', APPENDED, '{"left":1,"posts":{"-a":"posted","-b":"posted"},"right":{"side":1}}', false],
  ['another text', APPENDED, '{"left":1,"posts":{"-a":"other"},"right":{"side":1}}', false],
]

describe('what stands in a region after a crash', () => {
  test.each(FOUND)('%s', (_, underWay, text, isRight) => {
    const region = new Region()
    region.begin(PAIR)
    region.acknowledge()
    if (underWay !== undefined) region.begin(underWay)
    expect(region.settle(text) === undefined).toBe(isRight)
  })

  test('is what the next crash is compared with', () => {
    const region = new Region()
    region.begin(PAIR)
    expect(region.settle('{"left":1,"right":{"side":1}}')).toBeUndefined()
    expect(region.settle('null')).toContain('acknowledged {"left":1')
  })
})

const ROOT_INODE = 1n
const NOTHING: Luck = { kept: 0, torn: 0 }
const ALL: Luck = { kept: 1, torn: 0 }

function created(file: bigint, path: string): Entry {
  return { kind: 'created', file, path }
}

function written(file: bigint, text: string, at = 0): Entry {
  return { kind: 'write', file, at, bytes: Buffer.from(text) }
}

function synced(file: bigint, sync = file): Entry[] {
  return [
    { kind: 'sync-begun', file, sync },
    { kind: 'sync-ended', file, sync },
  ]
}

const FILE = 2n
const NEW_FILE = [created(FILE, '/r/a'), written(FILE, 'one'), ...synced(FILE), ...synced(ROOT_INODE)]

const DISKS: readonly [what: string, entries: readonly Entry[], luck: Luck, files: Readonly<Record<string, string>>][] =
  [
    [
      'a name is lost with its folder not synced',
      [created(FILE, '/r/a'), written(FILE, 'one'), ...synced(FILE)],
      NOTHING,
      {},
    ],
    ['a file is kept with both synced', NEW_FILE, NOTHING, { '/r/a': 'one' }],
    ['what was written since then is lost', [...NEW_FILE, written(FILE, 'two')], NOTHING, { '/r/a': 'one' }],
    ['or not', [...NEW_FILE, written(FILE, 'two')], ALL, { '/r/a': 'two' }],
    [
      'a sync that has not ended keeps nothing',
      [...NEW_FILE, written(FILE, 'two'), { kind: 'sync-begun', file: FILE, sync: 9n }],
      NOTHING,
      { '/r/a': 'one' },
    ],
    [
      'nor does it keep what was written meanwhile',
      [
        ...NEW_FILE,
        { kind: 'sync-begun', file: FILE, sync: 9n },
        written(FILE, 'two'),
        { kind: 'sync-ended', file: FILE, sync: 9n },
      ],
      NOTHING,
      { '/r/a': 'one' },
    ],
    [
      'a file is as short as it was cut',
      [...NEW_FILE, { kind: 'truncate', file: FILE, length: 1 }, ...synced(FILE, 9n)],
      NOTHING,
      { '/r/a': 'o' },
    ],
    [
      'a file that was removed comes back',
      [...NEW_FILE, { kind: 'removed', path: '/r/a' }],
      NOTHING,
      { '/r/a': 'one' },
    ],
    [
      'a name that was changed is the old one',
      [...NEW_FILE, { kind: 'renamed', from: '/r/a', to: '/r/b' }],
      NOTHING,
      { '/r/a': 'one' },
    ],
    [
      'until the folder is synced',
      [...NEW_FILE, { kind: 'renamed', from: '/r/a', to: '/r/b' }, ...synced(ROOT_INODE, 9n)],
      NOTHING,
      { '/r/b': 'one' },
    ],
    [
      'all in a folder is lost with its name',
      [
        { kind: 'folder', file: 3n, path: '/r/f' },
        created(FILE, '/r/f/a'),
        written(FILE, 'one'),
        ...synced(FILE),
        ...synced(3n),
      ],
      NOTHING,
      {},
    ],
  ]

describe('a disk after the power has gone', () => {
  test.each(DISKS)('%s', (_, entries, luck, files) => {
    const disk = new Disk('/r', ROOT_INODE)
    for (const entry of entries) disk.apply(entry)
    const found = [...disk.afterLoss(new Random(1), luck)].map(([path, bytes]) => [path, Buffer.from(bytes).toString()])
    expect(Object.fromEntries(found)).toEqual(files)
  })

  test('a torn write is there in whole sectors, in every choice of them', () => {
    const disk = new Disk('/r', ROOT_INODE)
    for (const entry of NEW_FILE) disk.apply(entry)
    disk.apply(written(FILE, 'x'.repeat(1024), 256))
    const random = new Random(1)
    const seen = new Set<string>()
    for (let time = 0; time < 200; time++) {
      const text = Buffer.from(disk.afterLoss(random, { kept: 0, torn: 1 }).get('/r/a') ?? '').toString()
      const parts = [text.slice(256, 512), text.slice(512, 1024), text.slice(1024)].map((part) =>
        part.replaceAll('\0', ''),
      )
      seen.add(parts.map((part) => part.length).join())
    }
    expect([...seen].sort()).toEqual(
      ['0,0,0', '0,0,256', '0,512,0', '0,512,256', '256,0,0', '256,0,256', '256,512,0', '256,512,256'].sort(),
    )
  })
})
