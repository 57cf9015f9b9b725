import { styleText } from 'node:util'
import { Command } from 'commander'
import type { CheckResult } from '../../doctor/check-result.ts'
import { dataDirOption } from '../connect/app-flag.ts'
import { EXIT_FAILED } from '../exit-status.ts'
import { printJson, printStyled, type ReportFlags, withReport } from '../terminal/output.ts'
import { printable } from '../terminal/printable.ts'

interface DoctorFlags extends ReportFlags {
  readonly dataDir: string
  readonly full?: true
}

const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const

/** The command `dhole doctor`. Its modules are loaded on demand. @see docs/how-to/troubleshoot.md#looking-for-trouble */
export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description(
      'check files, permissions, trees, certificate, settings and the database of DATABASE_URL; changes nothing',
    )
    .addOption(dataDirOption())
    .option('--full', 'read every row of every tree; takes long')
  return withReport(command).action(doctor)
}

async function doctor({ dataDir, full, json, quiet }: DoctorFlags): Promise<void> {
  const { examine } = await import('../../doctor/doctor.ts')
  const results: CheckResult[] = []
  for await (const result of examine({ ...process.env, DATA_DIR: dataDir }, full ?? false)) {
    results.push(result)
    if (!json && !(quiet && result.state === 'ok')) printStyled(lineOf(result))
  }
  if (json) printJson(results)
  // Warnings alone are no failure.
  if (results.some(({ state }) => state === 'problem')) process.exitCode = EXIT_FAILED
}

function lineOf({ check, state, found, advice }: CheckResult): string {
  const text = advice === undefined ? `${check}: ${found}` : `${check}: ${found} -> ${advice}`
  return `${styleText(COLOURS[state], state.padEnd('problem'.length))}  ${printable(text)}`
}
