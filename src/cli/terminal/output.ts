import { styleText } from 'node:util'
import { type Command, Option } from 'commander'
import { messageOf } from '../../files/system-error.ts'
import { printableLines } from './printable.ts'

/** Flags of a command with a report. */
export interface ReportFlags {
  /** One JSON value on standard output in place of lines. */
  readonly json?: true | undefined
  /** Nothing on standard output but what cannot be shown again. */
  readonly quiet?: true | undefined
}

/** Gives a command the flags `--json` and `--quiet`. */
export function withReport(command: Command): Command {
  return command
    .option('--json', 'print one JSON value')
    .addOption(new Option('--quiet', 'print errors only').conflicts('json'))
}

/** Prints lines on standard output, without control characters. */
export function print(text: string): void {
  process.stdout.write(`${printableLines(text)}\n`)
}

/** As `print`, for a line with styles; the caller makes its other parts `printable`. */
export function printStyled(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Prints a value as JSON on standard output. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2))
}

/** Prints an error on standard error as `dhole: <message>`. */
export function printError(error: unknown): void {
  process.stderr.write(`dhole: ${printableLines(messageOf(error))}\n`)
}

/** Bold text on a terminal; plain text elsewhere. */
export function strong(text: string): string {
  return process.stdout.isTTY && !process.env['NO_COLOR'] ? styleText('bold', text) : text
}
