/** Name of an application: a label of a host, so that it can stand in one; never a path, whatever a request says. */
export const APPLICATION_ID = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'

const pattern = new RegExp(APPLICATION_ID)

export function isApplicationId(text: string): boolean {
  return pattern.test(text)
}
