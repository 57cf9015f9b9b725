/** The envelope of every success. @param data JSON @see docs/reference/protocol.md#records */
export function okText(data: string): string {
  return `{"status":"ok","data":${data}}`
}
