import { Command, Option } from 'commander'

interface RestoreFlags {
  readonly app?: readonly string[]
  readonly dataDir: string
  readonly discard?: true
}

/** What a shell says of a program that was interrupted. */
const EXIT_INTERRUPTED = 130
const MEBI = 1024 * 1024

/** The command `dhole restore`. What it is made of is read when it is called. @see docs/operations.md#restoring */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('put trees of a backup in the place of those there are, beside the running server or without one')
    .argument('<source>', 'what `dhole backup` made, or one file of a tree')
    .option('--app <id...>', 'only these applications (default: all of the backup); for a file, whose it is')
    .addOption(new Option('--data-dir <folder>', 'folder of the server').env('DATA_DIR').default('./data'))
    .option('--discard', 'do not keep the trees that are replaced')
    .action(restoreFrom)
}

async function restoreFrom(source: string, { app, dataDir, discard }: RestoreFlags): Promise<void> {
  const { administrationOf } = await import('./administration.ts')
  const { restore } = await import('../server/restore.ts')
  const { Progress } = await import('./progress.ts')
  const { stampOf } = await import('./stamp.ts')
  process.once('SIGINT', interrupted)
  process.once('SIGTERM', interrupted)
  const progress = new Progress('MiB copied', 1)
  const options = { dataDir, source, ids: app, stamp: stampOf(new Date()), keep: !discard }
  try {
    await restore(options, await administrationOf(dataDir), {
      onCopying: (bytes, total) => progress.show(Math.round(bytes / MEBI), Math.min(bytes / Math.max(total, 1), 1)),
      onRestored: (id, kept) => {
        progress.clear()
        print(`"${id}": restored${kept === undefined ? '' : `; what was there is ${kept}`}`)
      },
      onRegistered: (id, fresh) => {
        progress.clear()
        if (fresh === undefined) return
        print(`super secret of application "${id}", shown only now: ${fresh.secret}`)
        print(`SMS key of application "${id}", shown only now: ${fresh.smsKey}`)
      },
    })
  } finally {
    progress.clear()
  }
}

function interrupted(): void {
  process.exit(EXIT_INTERRUPTED)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
