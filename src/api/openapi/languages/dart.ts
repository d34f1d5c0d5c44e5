import type { Components } from '../components.js';
import { dartCalls } from './dart-calls.js';
import { dartClient, dartHead } from './dart-client.js';
import { appModels, type Calls, type Choice, type Member, type Model, type Words, type Zone } from './models.js';
import { commentLine, indented, literal } from './names.js';
import { valueTypes } from './value-types.js';

const keywords =
  'abstract as assert async await base break case catch class const continue covariant default deferred do dynamic else enum export extends ' +
  'extension external factory false final finally for get hide if implements import in interface is late library mixin new null of on ' +
  'operator part required rethrow return sealed set show static super switch sync this throw true try type typedef var void when while with ' +
  'yield bool double int num';
const library =
  'BigInt Comparable DateTime Duration Enum Error Exception Function Future Invocation Iterable Iterator List Map Match Never Null Object ' +
  'Pattern Record RegExp Set StackTrace Stream String Symbol Type Uri';

const own = 'clear hashCode noSuchMethod runtimeType toJson toString';

const words: Words = {
  types: library.split(' '),
  members: `${keywords} ${own}`.split(' '),
  values: `${keywords} ${own} index key name values`.split(' '),
  calls: `${keywords} ${own} http prefix push send token url`.split(' '),
};

/** Prints the models of an app in Dart, with a client for them. */
export function printDart(components: Components): string {
  const { models, zones, choices, calls } = appModels(components, words);
  const parts = [
    ...models.flatMap((model) => [
      modelClass(model, zones),
      ...(model.hasInput ? [inputClass(model, zones)] : []),
      fields(model),
    ]),
    ...zones.map(zoneClasses),
    ...choices.map(enumeration),
    client(calls),
  ];
  return [dartHead, ...parts, dartClient, dartCalls].join('\n');
}

const text = (value: string): string => literal(value, (code) => `\\u{${code}}`);
const lines = (all: readonly string[], depth = 1): string => indented(all, '  '.repeat(depth));

const { typeOf, inputOf } = valueTypes({
  scalars: { text: 'String', integer: 'int', number: 'double', flag: 'bool', moment: 'DateTime', json: 'Object' },
  id: 'int',
  list: (item) => `List<${item}>`,
});

/** Returns the expression that reads a value of JSON. */
function reading({ key, value }: Member): string {
  const json = `json[${text(key)}]`;
  switch (value.kind) {
    case 'choice':
      return `mangroveChoice(${json}, ${value.choice.name}.values)`;
    case 'one':
      return `MangroveOne.read(${json}, ${value.model.name}.fromJson)`;
    case 'many':
      return `MangroveMany.read(${json}, ${value.model.name}.fromJson)`;
    case 'part':
      return `mangrovePart(${json}, ${value.model.name}.fromJson)`;
    case 'parts':
      return `mangroveParts(${json}, ${value.model.name}.fromJson)`;
    case 'zone':
      return `mangroveParts(${json}, ${value.zone.name}.fromJson)`;
    case 'number':
      return `(${json} as num?)?.toDouble()`;
    case 'moment':
      return `mangroveMoment(${json})`;
    case 'json':
      return json;
    default:
      return `${json} as ${typeOf(value)}?`;
  }
}

const zonesOf = (model: Model, zones: readonly Zone[]): readonly Zone[] => zones.filter(({ parts }) => parts.includes(model));

/** Named parameters in braces, which are left out if there are none. */
const constructorOf = (name: string, parameters: readonly string[]): string =>
  parameters.length === 0 ? `const ${name}();` : `const ${name}({${parameters.join(', ')}});`;

function modelClass(model: Model, zones: readonly Zone[]): string {
  const { name, uid, isComponent } = model;
  const shownMembers = model.members.filter(({ isShown }) => isShown);
  const id = isComponent ? ['id'] : [];
  const parents = ['MangroveJson', ...zonesOf(model, zones).map((zone) => zone.name)].join(', ');
  const reads = [
    ...id.map(() => 'id: json["id"] as int?,'),
    ...shownMembers.map((member) => `${member.identifier}: ${reading(member)},`),
  ];
  const writes = [
    ...(isComponent ? [`"__component": ${text(uid)},`, '"id": id,'] : []),
    ...shownMembers.map(({ key, identifier }) => `${text(key)}: ${identifier},`),
  ];
  return `/// ${commentLine(model.about)}
class ${name} implements ${parents} {
${lines([
  constructorOf(
    name,
    [...id, ...shownMembers.map(({ identifier }) => identifier)].map((one) => `this.${one}`),
  ),
  `factory ${name}.fromJson(Map<String, Object?> json) => ${name}(`,
  ...reads.map((line) => `  ${line}`),
  ');',
  ...id.map(() => 'final int? id;'),
  ...shownMembers.map(({ identifier, value }) => `final ${typeOf(value)}? ${identifier};`),
  '@override',
  'Map<String, Object?> toJson() => mangroveObject(const {}, {',
  ...writes.map((line) => `  ${line}`),
  '});',
])}}
`;
}

function inputClass(model: Model, zones: readonly Zone[]): string {
  const { inputName, fieldName, uid, isComponent } = model;
  const written = model.members.filter(({ isWritten }) => isWritten);
  const id = isComponent ? ['id'] : [];
  const parents = ['MangroveJson', ...zonesOf(model, zones).map((zone) => zone.inputName)].join(', ');
  const names = [...id, ...written.map(({ identifier }) => identifier)];
  return `/// Values to write. What is null is left out; what \`clear\` names is set to null.
class ${inputName} implements ${parents} {
${lines([
  constructorOf(inputName, [...names.map((one) => `this.${one}`), 'this.clear = const {}']),
  ...id.map(() => 'final int? id;'),
  ...written.map(({ identifier, value }) => `final ${inputOf(value)}? ${identifier};`),
  `final Set<${fieldName}> clear;`,
  '@override',
  'Map<String, Object?> toJson() => mangroveObject(clear, {',
  ...(isComponent ? [`  "__component": ${text(uid)},`, '  "id": id,'] : []),
  ...written.map(({ key, identifier }) => `  ${text(key)}: ${identifier},`),
  '});',
])}}
`;
}

/** Names of attributes are constants, because an enumeration has at least one value. */
const constants = (name: string, values: readonly (readonly [identifier: string, key: string])[]): string =>
  `class ${name} extends MangroveField {\n` +
  `${lines([
    `const ${name}._(super.key);`,
    ...values.map(([identifier, key]) => `static const ${identifier} = ${name}._(${text(key)});`),
    `static const List<${name}> values = [${values.map(([identifier]) => identifier).join(', ')}];`,
  ])}}\n`;

const fields = ({ fieldName, members }: Model): string =>
  constants(
    fieldName,
    members.map(({ identifier, key }) => [identifier === 'key' || identifier === 'values' ? `${identifier}_` : identifier, key]),
  );

const enumeration = ({ name, values }: Choice): string =>
  `/// A value that the service has added later is read as null.\n${constants(name, values)}`;

const zoneClasses = ({ name, inputName, parts }: Zone): string => `/// A component of a dynamic zone.
sealed class ${name} implements MangroveJson {
  factory ${name}.fromJson(Map<String, Object?> json) => switch (json["__component"]) {
${lines([...parts.map((part) => `${text(part.uid)} => ${part.name}.fromJson(json),`), `_ => ${name}Unknown(json),`], 3)}      };
}

/// A component that this file does not know.
class ${name}Unknown implements ${name} {
  const ${name}Unknown(this.part);
  final Map<String, Object?> part;
  @override
  Map<String, Object?> toJson() => part;
}

sealed class ${inputName} implements MangroveJson {}
`;

function client(calls: readonly Calls[]): string {
  const getters = calls.map(({ identifier, path, model, isSingle }) => {
    const kind = `${isSingle ? 'MangroveSingle' : 'MangroveCollection'}<${model.name}, ${model.hasInput ? model.inputName : 'MangroveJson'}>`;
    return `late final ${identifier} = ${kind}(this, ${text(path)}, ${model.name}.fromJson);`;
  });
  return `/// Reads and writes entries of a service at \`url\`, with the token of a session or an API token. \`prefix\` is api.rest.prefix.
class MangroveClient extends MangroveRequests {
${lines(['MangroveClient(super.url, {super.token, super.prefix, super.http});', ...getters])}}
`;
}
