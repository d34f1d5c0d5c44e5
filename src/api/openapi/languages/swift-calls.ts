/** The requests of a Swift client. */
export const swiftCalls = String.raw`struct MangroveCursors: MangroveModel { let start: String?; let end: String? }

struct MangrovePagination: MangroveModel {
  let page, pageSize, pageCount, start, limit, total: Int?
  let cursors: MangroveCursors?
  let hasNext, hasPrevious: Bool?
}

struct MangroveMeta: MangroveModel { let pagination: MangrovePagination? }

struct MangrovePage<Attributes: MangroveModel>: MangroveModel {
  let data: [MangroveEntry<Attributes>]
  let meta: MangroveMeta
}

/// An entry with its tag, for the parameter ifMatch of a write. The entry is nil if a delete found none.
struct MangroveFound<Attributes: MangroveModel>: Sendable { let entry: MangroveEntry<Attributes>?; let tag: String? }

private struct Only<Attributes: MangroveModel>: Decodable { let data: MangroveEntry<Attributes>? }
private struct Sent<Input: Encodable>: Encodable { let data: Input }

/// A change of a copy; op is upsert or delete.
struct MangroveChange<Attributes: MangroveModel>: MangroveModel { let op: String; let id: Int; let attributes: Attributes? }

struct MangroveChanges<Attributes: MangroveModel>: MangroveModel {
  struct Meta: MangroveModel { let sync: Sync }
  struct Sync: MangroveModel { let token: String; let more: Bool; let position: String? }
  let data: [MangroveChange<Attributes>]
  let meta: Meta
}

/// An id, or a name of the app's own for a new entry, which begins with a dollar sign.
enum MangroveId: MangroveModel {
  case number(Int), name(String)
  init(from decoder: Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Int.self) { self = .number(number) } else { self = .name(try value.decode(String.self)) }
  }
  func encode(to encoder: Encoder) throws {
    switch self {
    case .number(let number): try number.encode(to: encoder)
    case .name(let name): try name.encode(to: encoder)
    }
  }
}

/// The value that an attribute gets, and the one that the app has read; without from the last write wins. nil is sent as null.
struct MangroveAssigned: MangroveInput {
  private let parts: [String: MangroveJson]
  init(to: MangroveJson?) { parts = ["to": to ?? .null] }
  init(from: MangroveJson?, to: MangroveJson?) { parts = ["from": from ?? .null, "to": to ?? .null] }
  /// For a delete, which is a conflict if others have changed the value.
  init(deletedIf from: MangroveJson?) { parts = ["from": from ?? .null] }
  func encode(to encoder: Encoder) throws { try parts.encode(to: encoder) }
}

/// A write of a push. op is create, update or delete. increment has .integer or .number.
struct MangroveWrite: MangroveInput {
  var key = UUID().uuidString
  var op: String
  var type: String
  var id: MangroveId
  var set: [String: MangroveAssigned]?
  var increment: [String: MangroveJson]?
  var add: [String: [MangroveId]]?
  var remove: [String: [MangroveId]]?
  var locale: String?
}

struct MangroveConflict: MangroveModel { let from, mine, theirs: MangroveJson? }
struct MangroveProblem: MangroveModel { let status: Int; let name, message: String; let details: MangroveJson? }

/// status is applied, conflict, refused or waiting.
struct MangroveWritten: MangroveModel {
  let key, status: String
  let id: MangroveId
  let version: String?
  let attributes: MangroveJson?
  let conflicts: [String: MangroveConflict]?
  let error: MangroveProblem?
}

/// An error that the service has answered; problem is nil if something else has, such as a proxy.
struct MangroveError: Error { let status: Int; let problem: MangroveProblem? }

/// Reads and writes entries of a service at url, with the token of a session or an API token. prefix is api.rest.prefix.
struct MangroveClient: Sendable {
  var url: String
  var token: String?
  var session = URLSession.shared
  var prefix = "/api"

  /// Sends a request below the prefix. Throws a MangroveError if it is refused.
  func send(_ method: String, _ path: String, _ items: [URLQueryItem] = [], body: Data? = nil, headers: [String: String?] = [:])
    async throws -> (Data, HTTPURLResponse) {
    let base = url.replacingOccurrences(of: "/+$", with: "", options: .regularExpression)
    guard var address = URLComponents(string: "\(base)\(prefix)/\(path)") else { throw URLError(.badURL) }
    if !items.isEmpty {
      address.queryItems = items
      address.percentEncodedQuery = address.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
    }
    guard let place = address.url else { throw URLError(.badURL) }
    var request = URLRequest(url: place)
    request.httpMethod = method
    request.httpBody = body
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, answer) = try await session.data(for: request)
    guard let response = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    if (200..<300).contains(response.statusCode) { return (data, response) }
    struct Body: Decodable { let error: MangroveProblem }
    throw MangroveError(status: response.statusCode, problem: try? MangroveDates.decoder.decode(Body.self, from: data).error)
  }

  /// Carries out writes that were made without a network. Send the same writes again after any failure.
  func push(_ writes: [MangroveWrite]) async throws -> [MangroveWritten] {
    struct Body: Decodable { let data: [MangroveWritten] }
    let (data, _) = try await send("POST", "sync/push", body: MangroveDates.encoder.encode(["writes": writes]))
    return try MangroveDates.decoder.decode(Body.self, from: data).data
  }

  fileprivate func one<Attributes: MangroveModel>(
    _ method: String, _ path: String, _ query: MangroveQuery = MangroveQuery(), body: Data? = nil, headers: [String: String?] = [:]
  ) async throws -> MangroveFound<Attributes> {
    let (data, response) = try await send(method, path, query.items, body: body, headers: headers)
    let entry = try MangroveDates.decoder.decode(Only<Attributes>.self, from: data).data
    return MangroveFound(entry: entry, tag: response.value(forHTTPHeaderField: "ETag"))
  }
}

private func quoted(_ key: String?) -> String? { key.map { "\"\($0)\"" } }

/// The entries of a collection type. key repeats a write safely; ifMatch is the tag of the entry as it must still be.
struct MangroveCollection<Attributes: MangroveModel, Input: MangroveInput>: Sendable {
  let client: MangroveClient
  let path: String

  func find(_ query: MangroveQuery = MangroveQuery()) async throws -> MangrovePage<Attributes> {
    try MangroveDates.decoder.decode(MangrovePage<Attributes>.self, from: await client.send("GET", path, query.items).0)
  }
  func findOne(_ id: Int, _ query: MangroveQuery = MangroveQuery()) async throws -> MangroveFound<Attributes> {
    try await client.one("GET", "\(path)/\(id)", query)
  }
  func create(_ input: Input, key: String? = nil) async throws -> MangroveFound<Attributes> {
    let body = try MangroveDates.encoder.encode(Sent(data: input))
    return try await client.one("POST", path, body: body, headers: ["Idempotency-Key": quoted(key)])
  }
  func update(_ id: Int, _ input: Input, ifMatch: String? = nil, key: String? = nil) async throws -> MangroveFound<Attributes> {
    let body = try MangroveDates.encoder.encode(Sent(data: input))
    return try await client.one("PUT", "\(path)/\(id)", body: body, headers: ["If-Match": ifMatch, "Idempotency-Key": quoted(key)])
  }
  func delete(_ id: Int, ifMatch: String? = nil, key: String? = nil) async throws -> MangroveFound<Attributes> {
    try await client.one("DELETE", "\(path)/\(id)", headers: ["If-Match": ifMatch, "Idempotency-Key": quoted(key)])
  }

  /// Returns what is new in a copy since a token, of a synced type; nil if the copy must be deleted and begun anew.
  func changes(since token: String?, wait: Int? = nil) async throws -> MangroveChanges<Attributes>? {
    let items = [("token", token), ("wait", wait.map(String.init))].compactMap { name, value in
      value.map { URLQueryItem(name: name, value: $0) }
    }
    do {
      return try MangroveDates.decoder.decode(MangroveChanges<Attributes>.self, from: await client.send("GET", "sync/\(path)", items).0)
    } catch let error as MangroveError where error.status == 410 {
      return nil
    }
  }
}

struct MangroveSingle<Attributes: MangroveModel, Input: MangroveInput>: Sendable {
  let client: MangroveClient
  let path: String

  func find(_ query: MangroveQuery = MangroveQuery()) async throws -> MangroveFound<Attributes> {
    try await client.one("GET", path, query)
  }
  func update(_ input: Input, ifMatch: String? = nil) async throws -> MangroveFound<Attributes> {
    let body = try MangroveDates.encoder.encode(Sent(data: input))
    return try await client.one("PUT", path, body: body, headers: ["If-Match": ifMatch])
  }
  func delete() async throws -> MangroveFound<Attributes> { try await client.one("DELETE", path) }
}
`;
