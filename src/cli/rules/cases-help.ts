/** The format of a table, for people. */
export const CASES_HELP = `
CASES is JSON, a table or its list of cases alone:

  {
    "data": {"users": {"ann": {"age": 7}}},
    "cases": [
      {"name": "ann reads herself", "auth": {"uid": "ann"}, "path": "/users/ann",
       "operation": "read", "expect": "allow"},
      {"auth": null, "path": "/users/ann/age", "operation": "put", "data": 8, "expect": "deny"}
    ]
  }

  data       of the table: the tree before each case, as format=export prints it; empty without
  cases      each begins from that tree: no case sees what another one wrote

Members of a case:

  name       shown in place of operation and path (optional)
  auth       what rules see as \`auth\`, as it stands here; null without a user
  path       such as "/users/ann"; "/users/ann/.priority" too
  operation  read, put, patch, post or delete
  data       payload of put, patch and post; {".sv": "timestamp"} and .priority work as on the server
  given      a tree of its own before the case (optional)
  query      of a read: {"orderBy": "$key", "startAt": …, "endAt": …, "equalTo": …, "limitToFirst": …} (optional)
  now        time of the request in milliseconds since 1970 (default: now)
  expect     "allow" or "deny"
`
