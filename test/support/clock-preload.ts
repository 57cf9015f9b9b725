/** Puts the clock of a process off by what a file says, in milliseconds, from one moment to the next. */
import { readFileSync } from 'node:fs'

const file = process.env['CLOCK_OFF']
if (file === undefined) throw new Error('CLOCK_OFF names no file')

const real = Date.now
Date.now = () => real() + Number(readFileSync(file, 'utf8'))
globalThis.Date = new Proxy(Date, {
  construct: (target, args) => Reflect.construct(target, args.length === 0 ? [target.now()] : args),
})
