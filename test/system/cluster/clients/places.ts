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

/** Place that only rules of even versions let anybody read. */
export const DOOR = '/door'

/** Whether rules of a version let anybody read the door. */
export function opensDoor(version: number): boolean {
  return version % 2 === 0
}

/** Rules under which a write to `/gate` must name their version, and `/locked` is nobody's. */
export function rulesText(version: number): string {
  const open = { '.read': true, '.write': true }
  const rules = {
    k: open,
    n: open,
    list: open,
    once: open,
    gate: { '.read': true, '.write': `newData.child('v').val() === ${version}` },
    door: { '.read': opensDoor(version), '.write': true },
    locked: { '.write': false },
  }
  return JSON.stringify({ rules })
}

/** Version of rules; 0 of those that the application began with. */
export function versionOf(text: string): number {
  return Number(/val\(\) === (\d+)/.exec(text)?.[1] ?? 0)
}
