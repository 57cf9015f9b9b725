/** Reads the tree three hundred times for each child of a list, and looks at one place that others write to. */
const VALIDATE = [
  "root.child('gate').val() != 'closed'",
  ...Array.from({ length: 300 }, (_, index) => `!root.child('nowhere/a${index}').exists()`),
].join(' && ')

/** Anybody may write everything but the root; what is written to `/list` and below `/log` is validated at great cost. */
export const DEAR_RULES = JSON.stringify({
  rules: {
    '.read': true,
    small: { '.write': true },
    gate: { '.write': true },
    list: { '.write': true, $item: { '.validate': VALIDATE } },
    log: {
      $line: { '.write': true, at: { '.validate': 'newData.val() == now' }, $item: { '.validate': VALIDATE } },
    },
  },
})
