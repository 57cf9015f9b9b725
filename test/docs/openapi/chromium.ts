import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

/** How long a person would wait for a page, on a machine that is slow, in milliseconds. */
export const PATIENCE_MS = 60_000

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome']

/**
 * A Chromium of this machine: the one that the environment variable `CHROMIUM` names, one on the search path, or the
 * one that `playwright-core install chromium` has brought; `undefined` if there is none.
 */
export function findChromium(): string | undefined {
  const named = process.env['CHROMIUM']
  if (named) return named
  for (const command of COMMANDS) {
    const found = Bun.which(command)
    if (found !== null) return found
  }
  const brought = chromium.executablePath()
  return existsSync(brought) ? brought : undefined
}
