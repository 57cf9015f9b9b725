import { Database as Client } from 'bun:sqlite'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { treeFile } from '../../../src/data-folder/tree-file.ts'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { plain, strictObserver } from '../../support/store.ts'
import type { Cast } from './cast.ts'
import { closedFileProblems } from './closed-file.ts'
import type { MessageClient } from './message-client.ts'
import { versionOf } from './rule-client.ts'

/** How often each of those who know was told something, by name. */
export type Told = ReadonlyMap<string, number>

/** What is there after the power has come back, as files in a folder. */
export function writeImage(image: ReadonlyMap<string, Uint8Array>, from: string, to: string): void {
  for (const [path, bytes] of image) {
    const file = join(to, relative(from, path))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
  }
}

/** Opens the file of an application as a server does, and asks whether all is there that its clients were told. */
export async function imageProblems(dataDir: string, cast: Cast, told: Told): Promise<readonly string[]> {
  const file = treeFile(dataDir, cast.app)
  try {
    const store = new SqliteStore(file, {}, strictObserver)
    const problems = await treeProblems(store, cast, told)
    await store.swept()
    await store.close()
    problems.push(...closedFileProblems(file).map((problem) => `${cast.app}: ${problem}`))
    problems.push(...messageProblems(file, cast.messages, told.get(cast.messages.name) ?? 0))
    return problems
  } catch (error) {
    return [`${cast.app}: cannot be opened: ${error}`]
  }
}

async function treeProblems(store: SqliteStore, cast: Cast, told: Told): Promise<string[]> {
  const problems: string[] = []
  for (const { name, path, region } of cast.trees) {
    const acknowledged = told.get(name) ?? 0
    const text = (await plain(store, path)) ?? 'null'
    const allowed = [region.stateAfter(acknowledged), region.stateAfter(acknowledged + 1)]
    if (allowed.includes(text)) continue
    problems.push(`${name}: not as after ${acknowledged} acknowledged requests, nor one more: ${text.slice(0, 200)}`)
  }
  const { counter, rules, text } = cast
  problems.push(...counter.problems(Number((await plain(store, counter.path)) ?? 0), told.get(counter.name) ?? 0))
  problems.push(...text.problems((await plain(store, text.path)) ?? 'null', told.get(text.name) ?? 0))
  const version = versionOf(store.setting('rules'))
  const acknowledged = told.get(rules.name) ?? 0
  if (version < acknowledged || version > acknowledged + 1) {
    problems.push(`${rules.name}: of version ${version}, acknowledged ${acknowledged}`)
  }
  return problems
}

/** Reports that were acknowledged, and that are not there as a state or for the next batch query. */
function messageProblems(file: string, { name, reported }: MessageClient, acknowledged: number): string[] {
  const client = new Client(file, { readonly: true })
  try {
    const kept = client
      .query<{ rrid: string; mobile: string }, []>(
        'SELECT rrid, mobile FROM sms_message JOIN sms_batch ON id = batch_id JOIN sms_final USING (rrid, mobile) WHERE sms_message.status = 2',
      )
      .all()
    const known = new Set(kept.map(({ rrid, mobile }) => `${rrid} ${mobile}`))
    const batches = new Map(reported.map(({ rrid, numbers }) => [rrid, numbers]))
    const problems: string[] = []
    for (const [at, { rrid, numbers }] of reported.entries()) {
      const there = numbers.filter((mobile) => known.has(`${rrid} ${mobile}`))
      if (at < acknowledged && there.length < numbers.length) problems.push(`${name}: ${rrid} was reported, and is not`)
      if (there.length > 0 && there.length < numbers.length) problems.push(`${name}: half of the report of ${rrid}`)
    }
    for (const { rrid } of kept) if (!batches.has(rrid)) problems.push(`${name}: ${rrid} was not reported`)
    return problems
  } finally {
    client.close()
  }
}
