/** The headers of dhole's own answers, prepared once as there: what a limit answers with. */
export const answerHeaders = new Headers({
  'Cache-Control': 'no-cache',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, X-Firebase-Auth-Debug',
  'X-Content-Type-Options': 'nosniff',
  'Content-Type': 'application/json; charset=utf-8',
})
