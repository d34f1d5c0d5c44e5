/** The beginning of a Kotlin file with models. */
export const kotlinHead = `// The content types of a Mangrove service, and a client for them. Generated from its models: changes are lost.
// Needs kotlinx.serialization (with its compiler plugin) and kotlinx.coroutines.

@file:OptIn(ExperimentalSerializationApi::class)

import java.net.HttpURLConnection
import java.net.URI
import java.net.URLEncoder
import java.time.Instant
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.KSerializer
import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.builtins.ListSerializer
import kotlinx.serialization.descriptors.*
import kotlinx.serialization.encoding.*
import kotlinx.serialization.json.*

typealias Moment = @Serializable(MomentSerializer::class) Instant

object MomentSerializer : KSerializer<Instant> {
    override val descriptor = PrimitiveSerialDescriptor("Moment", PrimitiveKind.STRING)
    override fun deserialize(decoder: Decoder): Instant = Instant.parse(decoder.decodeString())
    override fun serialize(encoder: Encoder, value: Instant) = encoder.encodeString(value.toString())
}
`;

/** The calls of an app, for all content types. */
export const kotlinClient = String.raw`val mangroveJson = Json {
    ignoreUnknownKeys = true
    coerceInputValues = true
    explicitNulls = false
}

/** A name in the API: of an attribute, or of a value of an enumeration. */
interface MangroveField { val key: String }

interface MangroveInput { fun toJson(): JsonObject }

/** An entry. In a copy of sync, related entries have ids only. */
@Serializable
data class MangroveEntry<A>(val id: Long, val attributes: A? = null)

/** A relation or file to one; its entry is null if there is none. The attribute is null if it was not asked for. */
@Serializable(MangroveOneSerializer::class)
data class MangroveOne<A>(val entry: MangroveEntry<A>?)

/** Relations or files to many. */
@Serializable(MangroveManySerializer::class)
data class MangroveMany<A>(val entries: List<MangroveEntry<A>>, val count: Long? = null)

class MangroveOneSerializer<A>(attributes: KSerializer<A>) : KSerializer<MangroveOne<A>> {
    private val entry = MangroveEntry.serializer(attributes)
    override val descriptor = SerialDescriptor("MangroveOne", JsonElement.serializer().descriptor)
    override fun deserialize(decoder: Decoder): MangroveOne<A> {
        val found = (decoder as JsonDecoder).decodeJsonElement() as? JsonObject
        val data = if (found != null && "data" in found) found["data"] else found
        return MangroveOne((data as? JsonObject)?.let { decoder.json.decodeFromJsonElement(entry, it) })
    }
    override fun serialize(encoder: Encoder, value: MangroveOne<A>) {
        val json = (encoder as JsonEncoder).json
        val data = value.entry?.let { json.encodeToJsonElement(entry, it) } ?: JsonNull
        encoder.encodeJsonElement(JsonObject(mapOf("data" to data)))
    }
}

class MangroveManySerializer<A>(attributes: KSerializer<A>) : KSerializer<MangroveMany<A>> {
    private val entries = ListSerializer(MangroveEntry.serializer(attributes))
    override val descriptor = SerialDescriptor("MangroveMany", JsonElement.serializer().descriptor)
    override fun deserialize(decoder: Decoder): MangroveMany<A> {
        val found = (decoder as JsonDecoder).decodeJsonElement()
        val data = if (found is JsonObject) found["data"] else found
        val counted = ((data as? JsonObject)?.get("attributes") as? JsonObject)?.get("count")
        val list = (data as? JsonArray)?.let { decoder.json.decodeFromJsonElement(entries, it) }
        return MangroveMany(list ?: emptyList(), counted?.jsonPrimitive?.longOrNull)
    }
    override fun serialize(encoder: Encoder, value: MangroveMany<A>) {
        val data = (encoder as JsonEncoder).json.encodeToJsonElement(entries, value.entries)
        encoder.encodeJsonElement(JsonObject(mapOf("data" to data)))
    }
}

/** A dynamic zone: components that are distinguished by "__component". */
abstract class MangroveZone<T>(name: String) : KSerializer<T> {
    override val descriptor = SerialDescriptor(name, JsonElement.serializer().descriptor)
    protected abstract fun read(uid: String, part: JsonObject, json: Json): T
    protected abstract fun write(part: T, json: Json): JsonObject
    protected fun named(uid: String, part: JsonElement) = JsonObject(mapOf("__component" to JsonPrimitive(uid)) + part.jsonObject)
    override fun deserialize(decoder: Decoder): T {
        val part = (decoder as JsonDecoder).decodeJsonElement().jsonObject
        return read(part["__component"]?.jsonPrimitive?.content ?: "", part, decoder.json)
    }
    override fun serialize(encoder: Encoder, value: T) =
        (encoder as JsonEncoder).encodeJsonElement(write(value, encoder.json))
}

/** Relations or files to many, as they are written: all of them, or those that come and go. */
data class MangroveLinks(val set: List<Long>? = null, val connect: List<Long> = emptyList(), val disconnect: List<Long> = emptyList())

fun mangroveObject(clear: Set<MangroveField>, vararg values: Pair<String, Any?>): JsonObject =
    JsonObject(values.filter { it.second != null }.associate { it.first to mangroveValue(it.second) } + clear.associate { it.key to JsonNull })

fun mangroveValue(value: Any?): JsonElement = when (value) {
    null -> JsonNull
    is JsonElement -> value
    is MangroveInput -> value.toJson()
    is MangroveField -> JsonPrimitive(value.key)
    is MangroveLinks -> value.set?.let { mangroveValue(it) }
        ?: mangroveValue(mapOf("connect" to value.connect, "disconnect" to value.disconnect))
    is Map<*, *> -> JsonObject(value.entries.associate { it.key.toString() to mangroveValue(it.value) })
    is Iterable<*> -> JsonArray(value.map { mangroveValue(it) })
    is Boolean -> JsonPrimitive(value)
    is Number -> JsonPrimitive(value)
    else -> JsonPrimitive(value.toString())
}

/** A condition: MangroveFilter.field("author.name", "eq", "Ada"). Fields of an app are ThingField.name.key. */
sealed class MangroveFilter {
    internal abstract fun write(place: String, out: MutableList<Pair<String, String>>)
    private class Group(val sign: String, val filters: List<MangroveFilter>) : MangroveFilter() {
        override fun write(place: String, out: MutableList<Pair<String, String>>) =
            filters.forEachIndexed { index, filter -> filter.write(place + "[" + sign + "][" + index + "]", out) }
    }
    private class Not(val filter: MangroveFilter) : MangroveFilter() {
        override fun write(place: String, out: MutableList<Pair<String, String>>) = filter.write(place + "[\$not]", out)
    }
    private class Field(val path: String, val operator: String, val values: List<Any>) : MangroveFilter() {
        override fun write(place: String, out: MutableList<Pair<String, String>>) {
            val name = place + path.split(".").joinToString("") { "[" + it + "]" } + "[\$" + operator + "]"
            val texts = values.map { if (it is MangroveField) it.key else it.toString() }
            if (texts.size == 1 && operator !in lists) out += name to texts[0]
            else texts.forEachIndexed { index, text -> out += (name + "[" + index + "]") to text }
        }
    }
    companion object {
        private val lists = setOf("in", "notIn", "between")
        fun field(path: String, operator: String, vararg values: Any): MangroveFilter = Field(path, operator, values.toList())
        fun all(vararg filters: MangroveFilter): MangroveFilter = Group("\$and", filters.toList())
        fun any(vararg filters: MangroveFilter): MangroveFilter = Group("\$or", filters.toList())
        fun not(filter: MangroveFilter): MangroveFilter = Not(filter)
    }
}

/** What a list has. Cursors are those of an answer with cursors = true; more are parameters of the API with their values. */
data class MangroveQuery(
    val filter: MangroveFilter? = null, val fields: List<String> = emptyList(), val sort: List<String> = emptyList(),
    val populate: List<String> = emptyList(), val page: Int? = null, val pageSize: Int? = null, val start: Int? = null,
    val limit: Int? = null, val cursors: Boolean = false, val after: String? = null, val before: String? = null,
    val withCount: Boolean? = null, val locale: String? = null, val publicationState: String? = null,
    val more: List<Pair<String, String>> = emptyList(),
) {
    fun parameters(): List<Pair<String, String>> {
        val out = mutableListOf<Pair<String, String>>()
        filter?.write("filters", out)
        for ((name, values) in listOf("fields" to fields, "sort" to sort, "populate" to populate))
            values.forEachIndexed { index, value -> out += (name + "[" + index + "]") to value }
        val paging = listOf("page" to page, "pageSize" to pageSize, "start" to start, "limit" to limit, "after" to after,
            "before" to before, "withCount" to withCount, "cursors" to (if (cursors) true else null))
        for ((name, value) in paging) if (value != null) out += ("pagination[" + name + "]") to value.toString()
        if (locale != null) out += "locale" to locale
        if (publicationState != null) out += "publicationState" to publicationState
        return out + more
    }
}
`;
