import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { shippedFile } from '../../../files/shipped-file.ts'

/**
 * One step of the tables. A *widening* one adds what older versions of the program need not know: a table, or a column that
 * is null or has a default. A *narrowing* one changes or removes what they use; its file begins with the line `-- narrowing`.
 */
export interface Migration {
  /** Its position, from 1: the version of the tables after it. */
  readonly version: number
  readonly name: string
  readonly isNarrowing: boolean
  readonly statements: readonly string[]
}

/** Files of the migrations, relative to the package. */
const JOURNAL = 'drizzle/postgres/meta/_journal.json'
const fileOf = (name: string) => `drizzle/postgres/${name}.sql`
const NARROWING = /^-- narrowing\n/

let read: readonly Migration[] | undefined

/** The migrations that this version knows, in order. */
export function migrations(): readonly Migration[] {
  read ??= readMigrations()
  return read
}

/** Version of the tables that this version of the program makes: the number of its migrations. */
export function newestVersion(): number {
  return migrations().length
}

function readMigrations(): readonly Migration[] {
  const { entries } = JSON.parse(textOf(JOURNAL)) as { entries: readonly { idx: number; tag: string }[] }
  return entries.map(({ idx, tag }) => {
    const text = textOf(fileOf(tag))
    const statements = text.split('--> statement-breakpoint')
    return { version: idx + 1, name: tag, isNarrowing: NARROWING.test(text), statements }
  })
}

function textOf(path: string): string {
  return readFileSync(fileURLToPath(shippedFile(path)), 'utf8')
}
