/** The beginning of a Swift file with models. */
export const swiftHead = `// The content types of a Mangrove service, and a client for them. Generated from its models: changes are lost.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
`;

/** What models of Swift are made of. */
export const swiftClient = String.raw`protocol MangroveModel: Codable, Hashable, Sendable {}
protocol MangroveInput: Encodable, Sendable {}
protocol MangroveField: CodingKey, Hashable, Sendable { var rawValue: String { get } }
protocol MangroveChoice: RawRepresentable, CustomStringConvertible, MangroveModel where RawValue == String {}
extension MangroveChoice { var description: String { rawValue } }

extension KeyedDecodingContainer {
  /// Enumerations may get further values: those are read as nil.
  func decodeIfPresent<Choice: MangroveChoice>(_ type: Choice.Type, forKey key: Key) throws -> Choice? {
    try decodeIfPresent(String.self, forKey: key).flatMap(Choice.init(rawValue:))
  }
}

struct MangroveKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

/// Any JSON value. Whole numbers are of 64 bits.
indirect enum MangroveJson: MangroveModel, MangroveInput {
  case null, flag(Bool), integer(Int), number(Double), text(String), list([MangroveJson]), object([String: MangroveJson])

  init(from decoder: Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() { self = .null }
    else if let flag = try? value.decode(Bool.self) { self = .flag(flag) }
    else if let integer = try? value.decode(Int.self) { self = .integer(integer) }
    else if let number = try? value.decode(Double.self) { self = .number(number) }
    else if let text = try? value.decode(String.self) { self = .text(text) }
    else if let list = try? value.decode([MangroveJson].self) { self = .list(list) }
    else { self = .object(try value.decode([String: MangroveJson].self)) }
  }

  func encode(to encoder: Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .flag(let flag): try value.encode(flag)
    case .integer(let integer): try value.encode(integer)
    case .number(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    case .list(let list): try value.encode(list)
    case .object(let object): try value.encode(object)
    }
  }

  subscript(name: String) -> MangroveJson? {
    if case .object(let object) = self { return object[name] }
    return nil
  }
}

extension MangroveModel {
  /// Writes a component of a dynamic zone with its name.
  func encode(_ component: String, to encoder: Encoder) throws {
    var named = encoder.container(keyedBy: MangroveKey.self)
    try named.encode(component, forKey: MangroveKey("__component"))
    try encode(to: encoder)
  }
}

/// An entry. In a copy of sync, related entries have ids only.
struct MangroveEntry<Attributes: MangroveModel>: MangroveModel {
  let id: Int
  var attributes: Attributes?
}

/// A relation or file to one; its entry is nil if there is none. The attribute is nil if it was not asked for.
indirect enum MangroveOne<Attributes: MangroveModel>: MangroveModel {
  case none
  case some(MangroveEntry<Attributes>)

  var entry: MangroveEntry<Attributes>? {
    if case .some(let entry) = self { return entry }
    return nil
  }

  init(from decoder: Decoder) throws {
    let data = MangroveKey("data")
    let container = try decoder.container(keyedBy: MangroveKey.self)
    let entry = container.contains(data)
      ? try container.decodeIfPresent(MangroveEntry<Attributes>.self, forKey: data)
      : try MangroveEntry<Attributes>(from: decoder)
    if let entry { self = .some(entry) } else { self = .none }
  }

  func encode(to encoder: Encoder) throws {
    var container = encoder.container(keyedBy: MangroveKey.self)
    try container.encode(entry, forKey: MangroveKey("data"))
  }
}

/// Relations or files to many.
struct MangroveMany<Attributes: MangroveModel>: MangroveModel {
  var entries: [MangroveEntry<Attributes>]
  /// The number of entries, if it was asked for.
  var count: Int?

  private struct Count: Codable { struct Attributes: Codable { let count: Int }; let attributes: Attributes }

  init(from decoder: Decoder) throws {
    if let list = try? decoder.singleValueContainer().decode([MangroveEntry<Attributes>].self) {
      entries = list
      return
    }
    let container = try decoder.container(keyedBy: MangroveKey.self)
    let data = MangroveKey("data")
    if let counted = try? container.decode(Count.self, forKey: data) {
      (entries, count) = ([], counted.attributes.count)
    } else {
      entries = try container.decodeIfPresent([MangroveEntry<Attributes>].self, forKey: data) ?? []
    }
  }

  func encode(to encoder: Encoder) throws {
    var container = encoder.container(keyedBy: MangroveKey.self)
    try container.encode(entries, forKey: MangroveKey("data"))
  }
}

/// Relations or files to many, as they are written: all of them, or those that come and go.
enum MangroveLinks: MangroveInput {
  case set([Int])
  case change(connect: [Int] = [], disconnect: [Int] = [])

  func encode(to encoder: Encoder) throws {
    switch self {
    case .set(let ids): try ids.encode(to: encoder)
    case .change(let connect, let disconnect):
      var container = encoder.container(keyedBy: MangroveKey.self)
      try container.encode(connect, forKey: MangroveKey("connect"))
      try container.encode(disconnect, forKey: MangroveKey("disconnect"))
    }
  }
}

/// Dates in the API have milliseconds.
enum MangroveDates {
  static func text(_ date: Date) -> String { date.formatted(style(true)) }
  static func date(_ text: String) -> Date? { (try? style(true).parse(text)) ?? (try? style(false).parse(text)) }
  private static func style(_ hasMilliseconds: Bool) -> Date.ISO8601FormatStyle { .init(includingFractionalSeconds: hasMilliseconds) }

  static let decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let value = try decoder.singleValueContainer()
      let text = try value.decode(String.self)
      guard let moment = date(text) else { throw DecodingError.dataCorruptedError(in: value, debugDescription: "no date: \(text)") }
      return moment
    }
    return decoder
  }()

  static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var value = encoder.singleValueContainer()
      try value.encode(text(date))
    }
    return encoder
  }()
}
`;
