/** What is done to a new tree, one request after the other. */
export type Step = readonly ['PUT' | 'PATCH', string, string] | readonly ['DELETE', string]

/** More text than any engine keeps in one row, so that what holds it is a node of its own. */
export const LONG = 'long '.repeat(1000)
export const long = JSON.stringify(LONG)

/** What is done, and what the whole tree exports and reads as afterwards (`undefined`: the export without priorities). */
export const dataCases: readonly (readonly [string, readonly Step[], string | undefined, string?])[] = [
  ['nothing is there', [], undefined],
  ['null members are dropped', [['PUT', '/', '{"a":1,"b":null,"c":{"d":null}}']], '{"a":1}'],
  ['an empty object is nothing', [['PUT', '/a', '{}']], undefined],
  ['an empty array is nothing', [['PUT', '/a', '[[],[null]]']], undefined],
  [
    'null deletes',
    [
      ['PUT', '/', '{"a":1,"b":2}'],
      ['PUT', '/a', 'null'],
    ],
    '{"b":2}',
  ],
  ['a leaf may stand at the root', [['PUT', '/', '"x"']], '"x"'],
  [
    'the root can go',
    [
      ['PUT', '/', `{"a":${long}}`],
      ['DELETE', '/'],
    ],
    undefined,
  ],
  ['a put makes its parents', [['PUT', '/a/b/c', 'true']], '{"a":{"b":{"c":true}}}'],
  [
    'parents vanish upwards',
    [
      ['PUT', '/a/b/c', '1'],
      ['PUT', '/d', '1'],
      ['DELETE', '/a/b/c'],
    ],
    '{"d":1}',
  ],
  [
    'all parents vanish',
    [
      ['PUT', '/a/b/c', long],
      ['DELETE', '/a/b/c'],
    ],
    undefined,
  ],
  [
    'deleting what is missing',
    [
      ['PUT', '/a', '1'],
      ['DELETE', '/b/c'],
    ],
    '{"a":1}',
  ],
  [
    'emptying through a patch',
    [
      ['PUT', '/a', '{"b":1,"c":2}'],
      ['PATCH', '/a', '{"b":null,"c":null}'],
    ],
    undefined,
  ],
  [
    'a parent that vanished has lost its priority',
    [
      ['PUT', '/a', '{"b":1,".priority":5}'],
      ['DELETE', '/a/b'],
      ['PUT', '/a/b', '1'],
    ],
    '{"a":{"b":1}}',
  ],
  [
    'a long parent that vanished has lost its priority',
    [
      ['PUT', '/a', `{"b":${long},".priority":5}`],
      ['DELETE', '/a/b'],
      ['PUT', '/a/b', '1'],
    ],
    '{"a":{"b":1}}',
  ],
  [
    'a node that one patch empties and fills keeps its priority',
    [
      ['PUT', '/a', '{"b":1,".priority":5}'],
      ['PATCH', '/a', '{"b":null,"c":2}'],
    ],
    '{"a":{".priority":5,"c":2}}',
    '{"a":{"c":2}}',
  ],
  [
    'writing below a leaf keeps its priority',
    [
      ['PUT', '/a', '{".value":5,".priority":"p"}'],
      ['PUT', '/a/b', '1'],
    ],
    '{"a":{".priority":"p","b":1}}',
    '{"a":{"b":1}}',
  ],
  [
    'writing much below a leaf keeps its priority',
    [
      ['PUT', '/a', '{".value":5,".priority":"p"}'],
      ['PUT', '/a/b/c', long],
    ],
    `{"a":{".priority":"p","b":{"c":${long}}}}`,
    `{"a":{"b":{"c":${long}}}}`,
  ],
  [
    'writing below a leaf ends it',
    [
      ['PUT', '/a', '5'],
      ['PUT', '/a/b/c', '1'],
    ],
    '{"a":{"b":{"c":1}}}',
  ],
  [
    'writing below the leaf at the root',
    [
      ['PUT', '/', '5'],
      ['PUT', '/a', '1'],
    ],
    '{"a":1}',
  ],
  [
    'deleting below a leaf changes nothing',
    [
      ['PUT', '/a', '5'],
      ['DELETE', '/a/b'],
      ['DELETE', '/a/b/c'],
    ],
    '{"a":5}',
  ],
  [
    'deleting below a leaf with priority changes nothing',
    [
      ['PUT', '/a', '{".value":5,".priority":1}'],
      ['DELETE', '/a/b'],
    ],
    '{"a":{".priority":1,".value":5}}',
    '{"a":5}',
  ],
  [
    'a put replaces the priority',
    [
      ['PUT', '/a', '{".value":5,".priority":1}'],
      ['PUT', '/a', '6'],
    ],
    '{"a":6}',
  ],
  [
    'a put replaces the priority of a long node',
    [
      ['PUT', '/a', `{"b":${long},".priority":1}`],
      ['PUT', '/a', `{"c":${long}}`],
    ],
    `{"a":{"c":${long}}}`,
  ],
  [
    'a patch keeps the priority of its node, not that of a replaced child',
    [
      ['PUT', '/a', '{"b":{".value":1,".priority":2},".priority":1}'],
      ['PATCH', '/a', '{"b":3,"c":4}'],
    ],
    '{"a":{".priority":1,"b":3,"c":4}}',
    '{"a":{"b":3,"c":4}}',
  ],
  [
    'a priority can be set on a leaf, replaced and cleared',
    [
      ['PUT', '/a', '1'],
      ['PUT', '/a/.priority', '1'],
      ['PUT', '/a/.priority', '2'],
      ['PUT', '/b', '2'],
      ['PUT', '/b/.priority', '1'],
      ['PUT', '/b/.priority', 'null'],
    ],
    '{"a":{".priority":2,".value":1},"b":2}',
    '{"a":1,"b":2}',
  ],
  [
    'a priority can be set on a long node and cleared',
    [
      ['PUT', '/a', `{"x":${long}}`],
      ['PUT', '/a/.priority', '1'],
      ['PUT', '/b', `{"x":${long}}`],
      ['PUT', '/b/.priority', '1'],
      ['PUT', '/b/.priority', 'null'],
    ],
    `{"a":{".priority":1,"x":${long}},"b":{"x":${long}}}`,
    `{"a":{"x":${long}},"b":{"x":${long}}}`,
  ],
  ['a priority on nothing is nothing', [['PUT', '/a/.priority', '1']], undefined],
  [
    'the root may have a priority',
    [
      ['PUT', '/', '{"a":1}'],
      ['PUT', '/.priority', '1'],
    ],
    '{".priority":1,"a":1}',
    '{"a":1}',
  ],
  ['an array', [['PUT', '/', '["x","y",["z"]]']], '{"0":"x","1":"y","2":{"0":"z"}}', '["x","y",["z"]]'],
  ['a sparse array', [['PUT', '/', '{"0":1,"2":2,"3":3,"5":5}']], '{"0":1,"2":2,"3":3,"5":5}', '[1,null,2,3,null,5]'],
  ['a half-filled array is an object', [['PUT', '/', '[null,1,null,3]']], '{"1":1,"3":3}'],
  ['one child at 1 is an object', [['PUT', '/', '[null,1]']], '{"1":1}'],
  [
    'an array that loses an element',
    [
      ['PUT', '/', '[0,1,2]'],
      ['DELETE', '/1'],
    ],
    '{"0":0,"2":2}',
    '[0,null,2]',
  ],
  [
    'an array that loses its end',
    [
      ['PUT', '/', '[0,1,2]'],
      ['DELETE', '/2'],
    ],
    '{"0":0,"1":1}',
    '[0,1]',
  ],
  [
    'an array that gets a name',
    [
      ['PUT', '/', '[0,1]'],
      ['PUT', '/a', '1'],
    ],
    '{"0":0,"1":1,"a":1}',
  ],
  [
    'an array that gets 07',
    [
      ['PUT', '/', '[0,1]'],
      ['PUT', '/07', '1'],
    ],
    '{"0":0,"1":1,"07":1}',
  ],
  [
    'an array with a priority',
    [['PUT', '/', '{"0":"x","1":"y",".priority":1}']],
    '{"0":"x","1":"y",".priority":1}',
    '["x","y"]',
  ],
  [
    'a long array with a priority, and elements with priorities',
    [['PUT', '/', `{"0":${long},"1":{".value":${long},".priority":1},"3":[1],".priority":1}`]],
    `{"0":${long},"1":{".priority":1,".value":${long}},"3":{"0":1},".priority":1}`,
    `[${long},${long},null,[1]]`,
  ],
  [
    'long arrays within each other',
    [['PUT', '/', `[[${long},${long}],null,[[${long}]]]`]],
    `{"0":{"0":${long},"1":${long}},"2":{"0":{"0":${long}}}}`,
    `[[${long},${long}],null,[[${long}]]]`,
  ],
  [
    'half a long array',
    [['PUT', '/', `{"1":${long},"3":{"1":${long},"2":1}}`]],
    `{"1":${long},"3":{"1":${long},"2":1}}`,
    `{"1":${long},"3":[null,${long},1]}`,
  ],
  [
    'texts that mean something to an engine',
    [
      ['PUT', '/', '{"a":"\\u0000\\u0001\\u0002\\u0003","b":".priority","c":"\\".value\\"","d":"[x]"}'],
      ['PUT', '/long', long],
    ],
    `{"a":"\\u0000\\u0001\\u0002\\u0003","b":".priority","c":"\\".value\\"","d":"[x]","long":${long}}`,
  ],
  [
    'numbers as JavaScript writes them',
    [
      ['PUT', '/', '{"a":1.0,"b":-0,"c":1e21,"d":5e-324,"e":0.1}'],
      ['PUT', '/z', long],
    ],
    `{"a":1,"b":0,"c":1e+21,"d":5e-324,"e":0.1,"z":${long}}`,
  ],
]
