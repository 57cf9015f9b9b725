import { expect } from 'bun:test'
import { type Family, makeQuery, type QuerySpec } from '../../../src/query/query.ts'
import type { TreeStore } from '../../../src/store/store.ts'
import { defaultLimits } from '../../../src/tree/limits.ts'
import { TRUSTED } from '../../../src/tree/read-program.ts'
import { planPatch, planPut } from '../../../src/tree/write.ts'
import { jobOf, unlimited } from '../../support/store.ts'
import { Model } from './model.ts'
import { type Asked, answer, countOf, shallowOf } from './query-model.ts'

type Keys = readonly string[]

/** A store and the model of what it should hold: what is written to one is written to the other. */
export class Mirror {
  readonly model = new Model()
  store: TreeStore

  constructor(store: TreeStore) {
    this.store = store
  }

  /** PUT, DELETE (null) or, where the path ends in `.priority`, PUT of a priority. */
  async put(path: Keys, json: unknown): Promise<void> {
    const { commit } = await this.store.commit(jobOf(planPut(path, json, defaultLimits)))
    this.model.put(path, json, commit?.at ?? 0)
  }

  /** @param members JSON by path below `path` */
  async patch(path: Keys, members: ReadonlyMap<string, unknown>): Promise<void> {
    const json = Object.create(null) as Record<string, unknown>
    for (const [key, member] of members) json[key] = member
    const { commit } = await this.store.commit(jobOf(planPatch(path, json, defaultLimits)))
    const writes = [...members].map(([key, member]) => [[...path, ...key.split('/')], member] as const)
    this.model.patch(writes, commit?.at ?? 0)
  }

  /** Expects the answer of the model, its count, and where the order is that of `shallow`, its keys. */
  async expectAnswers(path: Keys, spec: QuerySpec, family: Family = 'firebase'): Promise<void> {
    const asked: Asked = { spec, family }
    const place = this.model.find(path)
    const query = makeQuery(spec, family)
    const got = await this.store.query(path, query, unlimited, TRUSTED)
    const wanted = answer(place, asked)
    const told = `${JSON.stringify(spec).slice(0, 500)} of /${path.join('/')}`
    expect(got?.plain, told).toBe(wanted?.plain as string)
    expect(got?.export, told).toBe(wanted?.export as string)
    const { limitToFirst: _, limitToLast: __, ...bounds } = spec
    const counted = await this.store.count(path, makeQuery(bounds, family), unlimited, TRUSTED)
    expect(counted, `count of ${told}`).toBe(countOf(place, { spec: bounds, family }))
    if (spec.orderBy === '$key' && family === 'firebase') {
      const keys = await this.store.shallow(path, unlimited, query, TRUSTED)
      expect(keys, `shallow of ${told}`).toBe(shallowOf(place, asked) as string)
    }
  }
}
