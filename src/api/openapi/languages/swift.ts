import type { Components } from '../components.js';
import { appModels, type Calls, type Choice, type Member, type Model, type Words, type Zone } from './models.js';
import { commentLine, indented, literal } from './names.js';
import { swiftCalls } from './swift-calls.js';
import { swiftClient, swiftHead } from './swift-client.js';
import { swiftQuery } from './swift-query.js';
import { valueTypes } from './value-types.js';

const keywords =
  'actor any as associatedtype async await break case catch class continue convenience default defer deinit didSet do dynamic else enum ' +
  'extension fallthrough false fileprivate final for func get guard if import in indirect infix init inout internal is lazy left let ' +
  'mutating nil none nonmutating open operator optional override postfix precedence prefix private protocol public repeat required ' +
  'rethrows return right self set some static struct subscript super switch throw throws true try typealias unowned var weak where willSet';
const library =
  'Any AnyObject Array Bool Character CodingKey Codable CustomStringConvertible Data Date Decodable Decoder Dictionary Double Encodable ' +
  'Encoder Error Float Foundation Hashable HTTPURLResponse ISO8601DateFormatter Int JSONDecoder JSONEncoder Never Optional Protocol Range ' +
  'RawRepresentable Result Self Sendable Set String Task Type URL UInt URLComponents URLQueryItem URLRequest URLSession UUID Void';

const words: Words = {
  types: library.split(' '),
  members: `${keywords} clear encode hash hashValue`.split(' '),
  values: `${keywords} allCases hashValue rawValue`.split(' '),
  calls: `${keywords} push send session token url`.split(' '),
};

/** Prints the models of an app in Swift, with a client for them. */
export function printSwift(components: Components): string {
  const { models, zones, choices, calls } = appModels(components, words);
  const parts = [
    ...models.flatMap((model) => [structure(model), ...(model.hasInput ? [inputStructure(model)] : []), fields(model)]),
    ...zones.flatMap((zone) => [union(zone), inputUnion(zone)]),
    ...choices.map(enumeration),
    client(calls),
  ];
  return [swiftHead, ...parts, swiftClient, swiftQuery, swiftCalls].join('\n');
}

const text = (value: string): string => literal(value, (code) => `\\u{${code}}`, /["\\]/g);
const lines = (all: readonly string[], depth = 1): string => indented(all, '  '.repeat(depth));

const { typeOf, inputOf } = valueTypes({
  scalars: { text: 'String', integer: 'Int', number: 'Double', flag: 'Bool', moment: 'Date', json: 'MangroveJson' },
  id: 'Int',
  list: (item) => `[${item}]`,
});

/** An enumeration of keys without cases has no raw values. */
const keys = (name: string, cases: readonly (readonly [identifier: string, key: string])[], protocols: string): string =>
  cases.length === 0
    ? `enum ${name}: CodingKey {}`
    : `enum ${name}: ${protocols} {\n${lines(cases.map(([identifier, key]) => `case ${identifier} = ${text(key)}`))}}`;

const nested = (code: string): readonly string[] => code.split('\n');

const idOf = ({ isComponent }: Model): readonly (readonly [string, string])[] => (isComponent ? [['id', 'id']] : []);

function structure(model: Model): string {
  const shownMembers = model.members.filter(({ isShown }) => isShown);
  const cases = [...idOf(model), ...shownMembers.map(({ identifier, key }) => [identifier, key] as const)];
  const properties = [
    ...(model.isComponent ? ['var id: Int?'] : []),
    ...shownMembers.map(({ identifier, value }) => `var ${identifier}: ${typeOf(value)}?`),
  ];
  const own = cases.length === 0 ? [] : ['', ...nested(keys('CodingKeys', cases, 'String, CodingKey'))];
  return `/// ${commentLine(model.about)}\nstruct ${model.name}: MangroveModel {\n${lines([...properties, ...own])}}\n`;
}

/** The fields of a model are also the keys of what is written. */
const fields = ({ fieldName, members }: Model): string =>
  members.length === 0
    ? `enum ${fieldName}: MangroveField { var rawValue: String { "" } }\n`
    : `${keys(
        fieldName,
        members.map(({ identifier, key }) => [identifier, key] as const),
        'String, MangroveField, CaseIterable',
      )}\n`;

function inputStructure(model: Model): string {
  const written = model.members.filter(({ isWritten }) => isWritten);
  const properties = [
    ...(model.isComponent ? ['var id: Int?'] : []),
    ...written.map(({ identifier, value }) => `var ${identifier}: ${inputOf(value)}?`),
    `var clear: Set<${model.fieldName}> = []`,
  ];
  const component = [
    'var part = encoder.container(keyedBy: MangroveKey.self)',
    `try part.encode(${text(model.uid)}, forKey: MangroveKey("__component"))`,
    'try part.encodeIfPresent(id, forKey: MangroveKey("id"))',
  ];
  const encodes = [
    ...(model.isComponent ? component : []),
    `var values = encoder.container(keyedBy: ${model.fieldName}.self)`,
    ...written.map((member) => encoding(member)),
    'for field in clear { try values.encodeNil(forKey: field) }',
  ];
  return (
    `/// Values to write. What is nil is left out; what \`clear\` names is set to null.\nstruct ${model.inputName}: MangroveInput {\n` +
    `${lines([...properties, '', 'func encode(to encoder: Encoder) throws {'])}${lines(encodes, 2)}  }\n}\n`
  );
}

const encoding = ({ identifier }: Member): string => `try values.encodeIfPresent(${identifier}, forKey: .${identifier})`;

/** Values that the service has added later are read as nil. */
const enumeration = ({ name, values }: Choice): string =>
  values.length === 0 ? `typealias ${name} = String\n` : `${keys(name, values, 'String, MangroveChoice, CaseIterable')}\n`;

const caseOf = ({ name }: Model): string => name.charAt(0).toLowerCase() + name.slice(1);

function union({ name, parts }: Zone): string {
  const cases = parts.map((part) => `case ${caseOf(part)}(${part.name})`);
  const reads = parts.map((part) => `case ${text(part.uid)}: self = .${caseOf(part)}(try ${part.name}(from: decoder))`);
  const writes = parts.map((part) => `case .${caseOf(part)}(let part): try part.encode(${text(part.uid)}, to: encoder)`);
  return `/// A component of a dynamic zone; \`unknown\` are those that this file does not know.
enum ${name}: MangroveModel {
${lines([...cases, 'case unknown(MangroveJson)'])}
  init(from decoder: Decoder) throws {
    let key = try decoder.container(keyedBy: MangroveKey.self).decode(String.self, forKey: MangroveKey("__component"))
    switch key {
${lines([...reads, 'default: self = .unknown(try MangroveJson(from: decoder))'], 2)}    }
  }

  func encode(to encoder: Encoder) throws {
    switch self {
${lines([...writes, 'case .unknown(let part): try part.encode(to: encoder)'], 2)}    }
  }
}
`;
}

function inputUnion({ inputName, parts }: Zone): string {
  if (parts.length === 0) return `typealias ${inputName} = MangroveJson\n`;
  return `enum ${inputName}: MangroveInput {
${lines(parts.map((part) => `case ${caseOf(part)}(${part.inputName})`))}
  func encode(to encoder: Encoder) throws {
    switch self {
${lines(
  parts.map((part) => `case .${caseOf(part)}(let part): try part.encode(to: encoder)`),
  2,
)}    }
  }
}
`;
}

function client(calls: readonly Calls[]): string {
  const properties = calls.map(({ identifier, path, model, isSingle }) => {
    const kind = `${isSingle ? 'MangroveSingle' : 'MangroveCollection'}<${model.name}, ${model.hasInput ? model.inputName : 'MangroveJson'}>`;
    return `var ${identifier}: ${kind} { ${kind}(client: self, path: ${text(path)}) }`;
  });
  return `extension MangroveClient {\n${lines(properties)}}\n`;
}
