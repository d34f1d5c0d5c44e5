/** The questions of a Swift client. */
export const swiftQuery = String.raw`/// A condition: .field("author.name", "eq", "Ada"). Fields of an app are ThingField.name.rawValue.
indirect enum MangroveFilter: Sendable {
  case values(path: String, operator: String, [String])
  case all([MangroveFilter])
  case any([MangroveFilter])
  case not(MangroveFilter)

  static func field(_ path: String, _ sign: String, _ values: any CustomStringConvertible...) -> MangroveFilter {
    .values(path: path, operator: sign, values.map { ($0 as? Date).map(MangroveDates.text) ?? $0.description })
  }

  func items(_ place: String) -> [URLQueryItem] {
    switch self {
    case .all(let filters): return filters.enumerated().flatMap { $1.items("\(place)[$and][\($0)]") }
    case .any(let filters): return filters.enumerated().flatMap { $1.items("\(place)[$or][\($0)]") }
    case .not(let filter): return filter.items("\(place)[$not]")
    case .values(let path, let sign, let values):
      let name = place + path.split(separator: ".").map { "[\($0)]" }.joined() + "[$\(sign)]"
      if values.count == 1 && !["in", "notIn", "between"].contains(sign) { return [URLQueryItem(name: name, value: values[0])] }
      return values.enumerated().map { URLQueryItem(name: "\(name)[\($0)]", value: $1) }
    }
  }
}

/// What a list has. Cursors are those of an answer with cursors = true; more are parameters of the API with their values.
struct MangroveQuery: Sendable {
  var filter: MangroveFilter?
  var fields: [String] = []
  var sort: [String] = []
  var populate: [String] = []
  var page: Int?
  var pageSize: Int?
  var start: Int?
  var limit: Int?
  var cursors = false
  var after: String?
  var before: String?
  var withCount: Bool?
  var locale: String?
  var publicationState: String?
  var more: [URLQueryItem] = []

  var items: [URLQueryItem] {
    let lists = [("fields", fields), ("sort", sort), ("populate", populate)].flatMap { name, values in
      values.enumerated().map { URLQueryItem(name: "\(name)[\($0)]", value: $1) }
    }
    let paging: [(String, (any CustomStringConvertible)?)] = [
      ("page", page), ("pageSize", pageSize), ("start", start), ("limit", limit), ("after", after), ("before", before),
      ("withCount", withCount), ("cursors", cursors ? true : nil),
    ]
    let pages = paging.compactMap { name, value in value.map { URLQueryItem(name: "pagination[\(name)]", value: $0.description) } }
    let own = [("locale", locale), ("publicationState", publicationState)].compactMap { name, value in
      value.map { URLQueryItem(name: name, value: $0) }
    }
    return (filter?.items("filters") ?? []) + lists + pages + own + more
  }
}
`;
