/** The table of docs/reference/settings.md. `bun test/readme/settings-table.ts` writes it anew. */
import { configSchema, settingSchema } from '../../src/server/config/config.ts'

const PAGE = new URL('../../docs/reference/settings.md', import.meta.url)
const BLOCK = /(<!-- settings:[^>]*-->\n)[\s\S]*?(<!-- \/settings -->)/

/** The table as the schema has it. */
export function settingsTable(): string {
  const rows = Object.keys(configSchema.properties).map((name) => {
    const { default: fallback, description } = settingSchema(name)
    return `| \`${name}\` | ${fallback === undefined ? '' : `\`${fallback}\``} | ${description} |`
  })
  return `\n| name | default | meaning |\n|---|---|---|\n${rows.join('\n')}\n\n`
}

/** The table as the page has it. */
export async function pageTable(): Promise<string | undefined> {
  const match = BLOCK.exec(await Bun.file(PAGE).text())
  return match?.[0].slice(match[1]?.length, -(match[2]?.length ?? 0))
}

if (import.meta.main) {
  const text = await Bun.file(PAGE).text()
  // A default may hold what would be a pattern in a text to replace with.
  await Bun.write(
    PAGE,
    text.replace(BLOCK, (_, begin: string, end: string) => begin + settingsTable() + end),
  )
}
