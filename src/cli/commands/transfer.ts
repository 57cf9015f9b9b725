import { Command } from 'commander'
import { DholeError } from '../../error.ts'
import { PRIORITY } from '../../tree/key.ts'
import { type Path, parsePath } from '../../tree/path.ts'
import { dataDirOption } from '../connect/app-flag.ts'
import type { TreeChoice } from '../connect/tree-choice.ts'
import { EXIT_FAILED, exitOnSignals } from '../exit-status.ts'
import { STDIN as STDIO } from '../terminal/input.ts'
import { printError, type ReportFlags, withReport } from '../terminal/output.ts'

interface TreeFlags extends ReportFlags {
  readonly path: string
  readonly app?: string
  readonly dataDir: string
  readonly url?: string
  readonly token?: string
  readonly secretFile?: string
  readonly cacert?: string
  readonly rules?: string
}

interface ImportFlags extends TreeFlags {
  readonly merge?: true
  readonly resume?: true
}

/** `dhole import`. @see docs/how-to/import-and-export.md */
export function importCommand(): Command {
  return treeCommand(
    'import <file>',
    'write the JSON of an export into the tree; `-` is standard input, .gz is unpacked',
  )
    .option('--merge', 'keep the children that the file does not name')
    .option('--resume', 'continue an interrupted import of the same file')
    .option('--rules <file>', 'rules to set after the data')
    .action(importFile)
}

/** `dhole export`. @see docs/how-to/import-and-export.md */
export function exportCommand(): Command {
  return treeCommand('export [file]', 'write the tree to a file or to standard output, as JSON for `import`')
    .option('--rules <file>', 'write the rules to this file as well')
    .action(exportFile)
}

function treeCommand(usage: string, description: string): Command {
  const command = new Command(usage.split(' ')[0])
    .arguments(usage.split(' ').slice(1).join(' '))
    .description(description)
    .option('--path <path>', 'the node', '/')
    .option('--app <id>', 'the application (default: the default application)')
    .addOption(dataDirOption())
    .option('--url <address>', 'a server to reach over HTTPS, in place of the folder')
    .option('--secret-file <file>', 'file with the super secret, for --url (default: DHOLE_SECRET)')
    .option('--token <text>', 'a token in place of the secret; other users of the machine can see it')
    .option('--cacert <file>', 'certificate to trust, for --url')
  return withReport(command)
}

async function importFile(file: string, flags: ImportFlags): Promise<void> {
  const path = pathOf(flags.path)
  const choice = choiceOf(flags)
  const { nameOf, withTreeAdmin } = await import('../connect/tree-choice.ts')
  const { importTree } = await import('../transfer/tree-import.ts')
  const { merge = false, resume = false, rules, json, quiet } = flags
  const target = `${flags.path} of application ${nameOf(choice)}`
  await orFail(
    withTreeAdmin(choice, (tree) => importTree(tree, { file, path, merge, resume, rules, target }, { json, quiet })),
  )
}

async function exportFile(file: string = STDIO, flags: TreeFlags): Promise<void> {
  const path = pathOf(flags.path)
  const choice = choiceOf(flags)
  const { withTreeAdmin } = await import('../connect/tree-choice.ts')
  const { exportTree } = await import('../transfer/tree-export.ts')
  exitOnSignals()
  await orFail(withTreeAdmin(choice, (tree) => exportTree(tree, { file, path, rules: flags.rules }, flags)))
}

function choiceOf({ app, dataDir, url, token, secretFile, cacert }: TreeFlags): TreeChoice {
  return { app, dataDir, url, token, secretFile, cacert }
}

function pathOf(text: string): Path {
  try {
    const path = parsePath(text)
    if (path.at(-1) !== PRIORITY) return path
  } catch (error) {
    if (!(error instanceof DholeError)) throw error
  }
  throw new Error(`--path: ${JSON.stringify(text)} is no path of a node`)
}

async function orFail(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    printError(error)
    process.exitCode = EXIT_FAILED
  }
}
