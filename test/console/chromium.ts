import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../docs/openapi/chromium.ts'

export { PATIENCE_MS } from '../docs/openapi/chromium.ts'

export const executablePath = findChromium()
export const MISSING =
  'skipped: no Chromium on this machine; name one in CHROMIUM, or `bunx playwright-core install chromium`'

/** Starts a browser. @throws Error without one on this machine */
export function launchBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(MISSING)
  // Its sandbox needs what a container does not give; the pages are ours.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

/** Fills in the form of the login, and waits for the page behind it. */
export async function logIn(page: Page, secret: string, application?: string): Promise<void> {
  await page.getByLabel('Secret').fill(secret)
  if (application !== undefined) await page.getByLabel('Application').fill(application)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: 'Log out', exact: true }).waitFor()
}
