import { styleText } from 'node:util'
import { Command, Option } from 'commander'
import type { Finding } from '../server/finding.ts'

interface DoctorFlags {
  readonly dataDir: string
  readonly full?: true
  readonly json?: true
}

/** Exit status when there is a problem; warnings alone are none. */
const EXIT_PROBLEM = 1
const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const

/** The command `dhole doctor`. What it is made of is read when it is called. @see docs/operations.md#looking-for-trouble */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('look for trouble in files, permissions, trees, certificate and settings; changes nothing')
    .addOption(new Option('--data-dir <folder>', 'folder of the server').env('DATA_DIR').default('./data'))
    .option('--full', 'read every row of every tree, which takes long')
    .option('--json', 'as JSON')
    .action(doctor)
}

async function doctor({ dataDir, full, json }: DoctorFlags): Promise<void> {
  const { examine } = await import('../server/doctor.ts')
  const findings: Finding[] = []
  for await (const finding of examine({ ...process.env, DATA_DIR: dataDir }, full ?? false)) {
    findings.push(finding)
    if (!json) process.stdout.write(`${lineOf(finding)}\n`)
  }
  if (json) process.stdout.write(`${JSON.stringify(findings, undefined, 2)}\n`)
  if (findings.some(({ state }) => state === 'problem')) process.exitCode = EXIT_PROBLEM
}

function lineOf({ check, state, found, advice }: Finding): string {
  const line = `${styleText(COLOURS[state], state.padEnd('problem'.length))}  ${check}: ${found}`
  return advice === undefined ? line : `${line} -> ${advice}`
}
