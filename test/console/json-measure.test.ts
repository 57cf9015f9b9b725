import { expect, test } from 'bun:test'
import { JsonMeasure } from '../../console/src/tree/whole/json-measure.ts'

test.each([
  ['1', { values: 1, mostMembers: 0 }],
  ['"a,b{[\\"\\\\"', { values: 1, mostMembers: 0 }],
  ['{"a":1}', { values: 2, mostMembers: 1 }],
  ['{"a":1,"b":{"c":[1,2,"x,{"]}}', { values: 7, mostMembers: 3 }],
  ['{"a":{},"b":[]}', { values: 5, mostMembers: 2 }],
])('%s is measured, in whatever parts it comes', (text, measured) => {
  const bytes = new TextEncoder().encode(text)
  for (let cut = 0; cut <= bytes.byteLength; cut++) {
    const measure = new JsonMeasure()
    measure.add(bytes.subarray(0, cut))
    measure.add(bytes.subarray(cut))
    expect({ ...measured, bytes: bytes.byteLength }).toEqual({
      values: measure.values,
      mostMembers: measure.mostMembers,
      bytes: measure.bytes,
    })
  }
})
