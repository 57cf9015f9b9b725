/** Number of nodes that everybody writes. */
export const SHARED_NODES = 6

/** Keys of the places that clients read and listen to. */
export const PLACES = [
  '/k',
  '/n',
  '/list',
  '/gate',
  ...Array.from({ length: SHARED_NODES }, (_, at) => `/k/${at}`),
] as const

/** Rules under which a write to `/gate` must name their version, and `/locked` is nobody's. */
export function rulesText(version: number): string {
  const open = { '.write': true }
  const rules = {
    '.read': true,
    k: open,
    n: open,
    list: open,
    once: open,
    gate: { '.write': `newData.child('v').val() === ${version}` },
    locked: { '.write': false },
  }
  return JSON.stringify({ rules })
}

/** Version of rules; 0 of those that the application began with. */
export function versionOf(text: string): number {
  return Number(/val\(\) === (\d+)/.exec(text)?.[1] ?? 0)
}
