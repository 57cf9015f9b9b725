/** What `bun run bench` is told. */
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { FULL, QUICK, type Settings, TINY } from './settings.ts'

export interface Options<Name extends string> {
  /** In the order they are run in. */
  readonly chapters: readonly Name[]
  readonly settings: Settings
  /** Where the results of this run are written too. */
  readonly json: string | undefined
  /** Whether a missed goal fails the run. */
  readonly check: boolean
  /** Whether tables, results, charts and the figures of the documents are written. */
  readonly save: boolean
  /** Another checkout, which this one is compared with. */
  readonly against: string | undefined
}

const ALL = 'all'
const ENGINES = ['sqlite', 'postgres'] as const
type Engine = (typeof ENGINES)[number]

/** What is measured on PostgreSQL, by the chapters that are measured on SQLite; both engines stand in its tables. */
const ON_POSTGRES: Readonly<Record<string, readonly string[]>> = {
  [ALL]: ['postgres', 'cluster'],
  read: ['postgres'],
  write: ['postgres'],
  query: ['postgres'],
  postgres: ['postgres'],
  cluster: ['cluster'],
}

interface Words {
  readonly engine: Engine
  readonly quick?: true
  readonly tiny?: true
  readonly json?: string
  readonly check?: true
  readonly save?: true
  readonly against?: string
  readonly rounds?: number
}

/** @throws CommanderError after it has told what is wrong, or shown the help (with `exitCode` 0) */
export function readCommandLine<Name extends string>(words: readonly string[], names: readonly Name[]): Options<Name> {
  const command = new Command('bun run bench')
    .description('Measures how fast Dhole is, against the limit of the machine, and prints the tables.')
    .addArgument(new Argument('[chapters...]', 'what is measured').choices([...names, ALL]).default([ALL], ALL))
    .addOption(
      new Option('--engine <engine>', 'postgres: read, write and query are the chapter `postgres`, beside SQLite')
        .choices(ENGINES)
        .default('sqlite'),
    )
    .option('--quick', 'one short round of small trees, only printed')
    .addOption(new Option('--tiny', 'everything of a quick run for a moment: a test that it works').hideHelp())
    .addOption(new Option('--json <file>', 'write the results of this run as JSON').argParser(writableFile))
    .option('--check', 'fail when a goal is missed that the README of the results does not explain')
    .addOption(
      new Option('--save', 'write the tables, results and charts of `bench/results`').conflicts(['quick', 'tiny']),
    )
    .addOption(
      new Option('--against <dir>', 'measures another checkout too, in turns, and prints what has changed since')
        .argParser(checkout)
        .conflicts(['save', 'json']),
    )
    .addOption(
      new Option(
        '--rounds <count>',
        'how often everything is measured (default: 2; against another checkout 4)',
      ).argParser(countOfRounds),
    )
    .exitOverride()
    .parse(words, { from: 'user' })
  const { engine, quick, tiny, json, check = false, save = false, against, rounds } = command.opts<Words>()
  const asked = command.args.length === 0 ? [ALL] : command.args
  const chosen = engine === 'sqlite' ? asked : asked.flatMap((name) => onPostgres(name, command))
  const chapters = names.filter((name) => chosen.includes(ALL) || chosen.includes(name))
  const chosenSettings = tiny ? TINY : quick ? QUICK : FULL
  const settings = { ...chosenSettings, rounds: rounds ?? chosenSettings.rounds * (against === undefined ? 1 : 2) }
  return { chapters, settings, json, check, save, against }
}

function onPostgres(name: string, command: Command): readonly string[] {
  return ON_POSTGRES[name] ?? command.error(`error: the chapter ${name} is measured on SQLite alone`)
}

function checkout(dir: string): string {
  if (existsSync(join(dir, 'bench', 'harness', 'suite.ts'))) return dir
  throw new InvalidArgumentError('There is no checkout with benchmarks.')
}

function countOfRounds(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new InvalidArgumentError('It is no whole number above 0.')
}

/** To know now rather than after an hour. */
function writableFile(name: string): string {
  const file = resolve(name)
  try {
    accessSync(dirname(file), constants.W_OK)
  } catch {
    throw new InvalidArgumentError('No file can be made there.')
  }
  return file
}
