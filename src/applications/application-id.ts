/** Name of an application: a valid label of a host name, and never a path. */
export const APPLICATION_ID = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'

const pattern = new RegExp(APPLICATION_ID)

export function isApplicationId(text: string): boolean {
  return pattern.test(text)
}
