import { describe, expect, test } from 'bun:test'
import { DholeError } from '../../../src/error.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { longTest } from '../../support/lane.ts'
import { count, exported, patch, plain, put, remove, turns, unlimited, watch, wide } from '../../support/store.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { Engine } from './contract.ts'

/** Some megabytes: far more than is read or written at a stretch. */
function bigTree(mark: number): unknown {
  return wide(3000, (index) => ({ mark, text: `${index} `.repeat(300), deep: { mark } }))
}

export function longContract(engine: Engine): void {
  describe('long work', () => {
    test('a long read shows exactly one commit while writes go on', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using filled = await engine.open(file)
      await put(filled, '/big', bigTree(0))
      await put(filled, '/n', 0)
      await filled.close()
      await using store = await engine.open(file)
      const read = store.node([], unlimited, TRUSTED)
      expect(read).toBeInstanceOf(Promise)
      const reading = watch(Promise.resolve(read))
      let writes = 0
      while (reading.state === 'waiting') {
        // First and last of the list, so that a mixture would show.
        await patch(store, '/', { 'big/k0/mark': ++writes, 'big/k999/deep/mark': writes, n: writes, 'big/k500': null })
        await plain(store, '/n')
      }
      expect(writes).toBeGreaterThan(0)
      const seen = JSON.parse(reading.value?.plain ?? '')
      // An engine may begin to read when it was asked, or a little later.
      const big = bigTree(0) as Record<string, { mark: number; deep: { mark: number } }>
      if (seen.n > 0) {
        delete big['k500']
        if (big['k0'] !== undefined) big['k0'].mark = seen.n
        if (big['k999'] !== undefined) big['k999'].deep.mark = seen.n
      }
      expect(seen).toEqual({ big, n: seen.n })
      expect(seen.n).toBeLessThan(writes)
      const now = JSON.parse((await plain(store)) ?? '')
      expect([now.big.k0.mark, now.big.k999.deep.mark, now.n, now.big.k500]).toEqual([
        writes,
        writes,
        writes,
        undefined,
      ])
    })

    longTest('more long reads than run at once all end on whole commits', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using filled = await engine.open(file)
      await put(filled, '/big', bigTree(0))
      await filled.close()
      await using store = await engine.open(file)
      const reads = Array.from({ length: 12 }, () => Promise.resolve(store.node([], unlimited, TRUSTED)))
      const all = watch(Promise.all(reads))
      let mark = 0
      while (all.state === 'waiting') await patch(store, '/big', { 'k0/mark': ++mark, 'k999/mark': mark })
      for (const text of all.value ?? []) {
        const { big } = JSON.parse(text?.plain ?? '')
        expect(big.k999.mark).toBe(big.k0.mark)
        expect(Object.keys(big).length).toBe(3000)
      }
      expect(all.state).toBe('resolved')
    })

    test('a long read past its deadline is given up', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using filled = await engine.open(file)
      await put(filled, '/big', bigTree(0))
      await filled.close()
      await using store = await engine.open(file)
      const read = async () => store.node([], { ...unlimited, timeoutMs: -1 }, TRUSTED)
      await expect(read()).rejects.toMatchObject({ code: 'read-too-big' })
      expect(await count(store, '/big')).toBe(3000)
    })

    longTest('closing ends a long read and finishes a long write', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using filled = await engine.open(file)
      await put(filled, '/big', bigTree(0))
      await filled.close()
      await using store = await engine.open(file)
      const reading = watch(Promise.resolve(store.node([], unlimited, TRUSTED)))
      const writing = watch(put(store, '/other', bigTree(1)))
      await turns(2)
      await store.close()
      expect(reading.state).not.toBe('waiting')
      if (reading.state === 'rejected') expect(reading.error).toBeInstanceOf(DholeError)
      expect(writing.state).toBe('resolved')
      await using reopened = await engine.open(file)
      expect(JSON.parse((await exported(reopened, '/other')) ?? '')).toEqual(bigTree(1))
    })

    longTest('a long write is seen whole or not at all', async () => {
      await using directory = await tempDir()
      await using store = await engine.open(directory.file('tree'))
      await put(store, '/a', 1)
      const writing = watch(put(store, '/', { a: 2, big: bigTree(1) }))
      const after = watch(put(store, '/a', 3))
      // A small write does not wait for a large one, so it may come first.
      while (writing.state === 'waiting') {
        const text = (await plain(store)) ?? ''
        const children = text.match(/"deep":/g)?.length ?? 0
        expect([0, 3000]).toContain(children)
        if (children === 0) expect(text).toMatch(/^\{"a":[13]\}$/)
        await turns(1)
      }
      await turns(1)
      expect(await count(store, '/big')).toBe(3000)
      while (after.state === 'waiting') await turns(1)
      expect(await plain(store, '/a')).toBe((writing.value?.seq ?? 0) > (after.value?.seq ?? 0) ? '2' : '3')
    })

    longTest('a large delete is seen at once, and its place can be filled again', async () => {
      await using directory = await tempDir()
      const file = directory.file('tree')
      await using store = await engine.open(file)
      await put(store, '/', { big: bigTree(0), other: bigTree(1), keep: 1 })
      await remove(store, '/big')
      expect(await plain(store, '/big')).toBeUndefined()
      expect(await plain(store, '/big/k0/mark')).toBeUndefined()
      await put(store, '/big', { new: true })
      await put(store, '/other', 'leaf')
      expect(await plain(store)).toBe('{"big":{"new":true},"keep":1,"other":"leaf"}')
      await store.swept()
      await store.close()
      await using reopened = await engine.open(file)
      await put(reopened, '/big/k0', 2)
      await reopened.swept()
      expect(await plain(reopened)).toBe('{"big":{"k0":2,"new":true},"keep":1,"other":"leaf"}')
    })
  })
}
