/** A tree of members, the same in every run: what users read and write where rules decide. */

import type { Database } from '../../src/database/database.ts'
import { openTree } from '../../src/open-tree.ts'
import type { Path } from '../../src/tree/path.ts'
import { databaseFile, objectOf1Kb } from './blogs.ts'

/** Super secret of every application that is measured with rules. */
export const SECRET = 'super-secret-of-the-benchmarks'
export const MEMBERS = 1000
/** Members with something of their own, one for each connection. */
export const USERS = 64
const NOTES_PER_USER = 32
export const NOTES = USERS * NOTES_PER_USER
const DRAFTS_PER_USER = 8
/** Revision of a draft that nobody has written yet: microseconds since 1970, with as many digits as any of today. */
const FIRST_REVISION = 1_700_000_000_000_000

/** Everybody may do everything. */
export const OPEN_RULES = '{"rules": {".read": true, ".write": true}}'

/** Who may read is known from path and token alone; who may write depends on three places of the tree. */
export const CLUB_RULES = `{
  "rules": {
    // Everybody reads what is their own.
    "users": {"$user": {".read": "auth.uid === $user"}},
    "drafts": {
      "$draft": {
        ".write": "root.child('members/' + auth.uid).exists() && data.child('owner').val() === auth.uid",
        ".validate": "newData.child('n').val() > data.child('n').val()"
      }
    }
  }
}`

export function userName(user: number): string {
  return `user-${user}`
}

export function notePaths(user: number): Path[] {
  return Array.from({ length: NOTES_PER_USER }, (_, note) => ['users', userName(user), 'notes', noteName(note)])
}

/** An object of 1 KB. */
export function cardPath(user: number): Path {
  return ['users', userName(user), 'card']
}

export function draftPathsOf(user: number): Path[] {
  return Array.from({ length: DRAFTS_PER_USER }, (_, draft) => ['drafts', `${userName(user)}-${draft}`])
}

/** An object of 1 KB. Rules want `n`, its revision, to grow. */
function firstDraft(user: number): Readonly<Record<string, unknown>> {
  return objectOf1Kb(user, { n: FIRST_REVISION, owner: userName(user) })
}

/** Drafts of one user; each has a later revision than all before. */
export function drafts(user: number): () => Readonly<Record<string, unknown>> {
  const first = firstDraft(user)
  return () => ({ ...first, n: nextRevision() })
}

/** The same as text. */
export function draftTexts(user: number): () => string {
  const [head = '', tail = ''] = JSON.stringify(firstDraft(user)).split(String(FIRST_REVISION))
  return () => head + nextRevision() + tail
}

let latestRevision = 0

/** Grows with every call, also from process to process. */
function nextRevision(): number {
  latestRevision = Math.max(latestRevision + 1, Math.round((performance.timeOrigin + performance.now()) * 1000))
  return latestRevision
}

export async function buildClub(dataDir: string, members: number): Promise<void> {
  await using database = openTree({ file: databaseFile(dataDir) })
  await fillClub(database, members)
}

/** @param count members; at least as many as have something of their own */
export async function fillClub(database: Database, count: number): Promise<void> {
  const members = Array.from({ length: count }, (_, member) => [userName(member), true])
  await database.put('/members', Object.fromEntries(members))
  for (let user = 0; user < USERS; user++) {
    const notes = Array.from({ length: NOTES_PER_USER }, (_, note) => [noteName(note), `Note ${note} of ${user}`])
    const belongings = { notes: Object.fromEntries(notes), card: objectOf1Kb(user) }
    await database.put(`/users/${userName(user)}`, belongings)
    for (const path of draftPathsOf(user)) await database.put(path, firstDraft(user))
  }
}

function noteName(note: number): string {
  return `note-${note}`
}
