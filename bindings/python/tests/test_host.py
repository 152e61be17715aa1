"""What a host brings along: its embedder, its clock, its ranking table."""

import datetime
import threading
import time

import pytest

import stele

UTC = datetime.timezone.utc


class Embedder:
    """Knows two things: whether a text is about cats, and whether it is about ships."""

    name = "cats-and-ships-1"
    dimensions = 2
    weight = 5.0
    floor = 0.5

    def __init__(self):
        self.texts = []

    def embed(self, texts):
        self.texts += texts
        return [[float("cat" in text.lower() or "kitten" in text), float("ship" in text.lower() or "vessel" in text)] for text in texts]


def titles(hits):
    return [hit.title for hit in hits]


def test_a_hosts_embedder_finds_by_its_meaning(tmp_path):
    embedder = Embedder()
    with stele.open(tmp_path / ".stele", embedder=embedder) as record:
        recorder = record.recorder(actor="ana")
        recorder.fact("fyi", "Cats sleep on the boiler")
        recorder.fact("fyi", "Ships wait for the tide")
        assert "Cats sleep on the boiler" in "\n".join(embedder.texts)
        assert titles(record.retriever().search("vessel", mode="semantic"))[0] == "Ships wait for the tide"
        assert titles(record.retriever().search("kitten", mode="semantic"))[0] == "Cats sleep on the boiler"
        assert not [finding for finding in record.health().findings if "embedder" in finding.message]


class Tuples(Embedder):
    def embed(self, texts):
        return tuple(tuple(int(number) for number in vector) for vector in super().embed(texts))


class Array:
    """What an array of numbers is like: not a sequence, but it gives its own list."""

    def __init__(self, numbers):
        self.numbers = numbers

    def tolist(self):
        return self.numbers


class Arrays(Embedder):
    def embed(self, texts):
        return iter([Array(vector) for vector in super().embed(texts)])


@pytest.mark.parametrize("kind", [Tuples, Arrays])
def test_vectors_may_be_any_iterables_of_numbers(tmp_path, kind):
    with stele.open(tmp_path / ".stele", embedder=kind()) as record:
        record.recorder(actor="ana").fact("fyi", "Ships wait for the tide")
        assert titles(record.retriever().search("vessel", mode="semantic"))[0] == "Ships wait for the tide"


def test_what_is_no_embedder_is_refused(tmp_path):
    class Nameless:
        dimensions = 2

        def embed(self, texts):
            return []

    class Mute:
        name, dimensions, embed = "mute", 2, None

    class Huge(Embedder):
        dimensions = 10**9

    for wrong in (object(), True, Nameless(), Mute()):
        with pytest.raises(TypeError):
            stele.open(tmp_path / ".stele", embedder=wrong)
    with pytest.raises(stele.InvalidError) as caught:
        stele.open(tmp_path / ".stele", embedder=Huge())
    assert (caught.value.code, caught.value.details) == ("bad_config", {"field": "embedder"})


@pytest.mark.parametrize("answer", [lambda texts: 1 / 0, lambda texts: [], lambda texts: [["x"]], lambda texts: [[1.0]] * len(texts), lambda texts: None])
def test_an_embedder_that_fails_takes_nothing_but_its_meaning(tmp_path, answer):
    embedder = Embedder()
    embedder.embed = answer
    with stele.open(tmp_path / ".stele", embedder=embedder) as record:
        recorder = record.recorder(actor="ana")
        recorder.fact("fyi", "Ships wait for the tide")
        found = record.retriever().retrieve("Why do ships wait for the tide?")
        assert (found.status, titles(found.entries)) == ("found", ["Ships wait for the tide"])


def test_an_embedder_that_hangs_is_not_waited_for(tmp_path):
    hang = threading.Event()

    class Hanging(Embedder):
        def embed(self, texts):
            if any("why" in text for text in texts):
                hang.wait(60)
            return super().embed(texts)

    with stele.open(tmp_path / ".stele", embedder=Hanging()) as record:
        record.recorder(actor="ana").fact("fyi", "Ships wait for the tide")
        try:
            found = record.retriever().retrieve("why do the ships wait for so long?", deadline=0.3)
            assert titles(found.entries) == ["Ships wait for the tide"] and found.gaps
        finally:
            hang.set()


def test_vectors_are_made_anew_when_asked_for(tmp_path):
    embedder = Embedder()
    with stele.open(tmp_path / ".stele", embedder=embedder) as record:
        record.recorder(actor="ana").fact("fyi", "Ships wait for the tide")
        embedder.texts.clear()
        record.rebuild_indexes()
        assert embedder.texts == []
        record.rebuild_indexes(reembed=True)
        assert len(embedder.texts) == 1


def test_a_hosts_clock_dates_what_is_written(tmp_path):
    now = datetime.datetime(2030, 1, 2, 3, 4, 5, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    with stele.open(tmp_path / ".stele", clock=lambda: now) as record:
        recorder = record.recorder(actor="ana")
        recorder.fact("fyi", "Dated", expires_at="2030-01-03")
        assert record.retriever().get("KNOW-1").created_at == now
        assert record.retriever().get("KNOW-1").state == "live"
        now += datetime.timedelta(days=2)
        assert record.retriever().get("KNOW-1").state == "expired"


def test_what_a_clock_raises_is_raised_by_the_call(tmp_path):
    fault = RuntimeError("no clock today")

    broken = False

    def clock():
        if broken:
            raise fault
        return "2030-01-02T03:04:05Z"

    with stele.open(tmp_path / ".stele", clock=clock) as record:
        broken = True
        with pytest.raises(RuntimeError) as caught:
            record.retriever().search("anything")
        assert caught.value is fault
        broken = False
        assert record.recorder(actor="ana").fact("fyi", "Dated").id == "KNOW-1"
    with pytest.raises(stele.InvalidError) as refused:
        stele.open(tmp_path / ".stele", clock=lambda: datetime.datetime(2030, 1, 1))
    assert refused.value.code == "bad_time"
    with pytest.raises(TypeError):
        stele.open(tmp_path / ".stele", clock=3)


def test_the_ranking_is_a_table_that_a_host_may_replace(record, recorder):
    assert record.ranking == stele.RankingTable()
    assert (record.ranking.classes["decision"], record.ranking.relations["caused-by"]) == (3.0, 2.0)
    assert (record.ranking.match, record.ranking.distance) == (3.0, 0.5)
    recorder.fact("fyi", "The queue is in memory")
    recorder.fact("decision", "The queue will move to disk")
    question = "What about the queue in memory and on disk?"
    assert titles(record.retriever().retrieve(question).entries)[0] == "The queue will move to disk"
    table = record.ranking.replace(classes={"fyi": 9.5})
    record.set_ranking(table)
    assert record.ranking == table and record.ranking != stele.RankingTable() and record.ranking.classes["risk"] == 2.0
    assert titles(record.retriever().retrieve(question).entries)[0] == "The queue is in memory"
    assert stele.RankingTable(classes={"fyi": 9.5}) == table
    assert repr(table).startswith("RankingTable(classes={'decision': 3.0")
    for wrong in ({"classes": {"dream": 1.0}}, {"classes": {"component": 1.0}}, {"relations": {"likes": 1.0}}, {"distance": -1.0}, {"match": 2e6}):
        with pytest.raises(stele.InvalidError):
            stele.RankingTable(**wrong)


def test_the_defaults_are_readable(record):
    assert (record.defaults["window_entries"], record.defaults["deadline"], record.defaults["near_duplicate"]) == (20, 8.0, 0.92)
    record.defaults.clear()
    assert record.defaults


def test_the_record_is_one_graph(record, recorder):
    a, b = recorder.fact("fyi", "A").id, recorder.fact("risk", "B").id
    recorder.link(a, "caused-by", b, reason="it is so")
    graph = record.export_graph()
    assert [node["id"] for node in graph["nodes"]] == [a, b]
    assert [(edge["source"], edge["key"], edge["target"]) for edge in graph["edges"]] == [(a, "caused-by", b)]


def test_a_record_closes_while_its_embedder_is_at_work(tmp_path):
    """Closing needs no interpreter's lock, so a thread of the record that needs it for the embedder ends in time."""

    class Slow(Embedder):
        def embed(self, texts):
            time.sleep(0.01)
            return super().embed(texts)

    record = stele.open(tmp_path / ".stele", embedder=Slow())
    record.import_jsonl(('{"type":"node","kind":"knowledge","category":"fyi","title":"Fact %d"}' % n for n in range(600)), actor="ana")
    record.recorder(actor="ana").fact("fyi", "One more")
    del record


def test_a_hosts_counter_counts_the_tokens_of_a_window(record, recorder):
    recorder.fact("decision", "The queue is in memory", body="It holds a thousand jobs.")
    counted = []

    def counter(text):
        counted.append(text)
        return len(text)

    question = "What about the queue in memory?"
    before = record.retriever().retrieve(question).entries[0].tokens
    record.set_token_counter(counter)
    found = record.retriever().retrieve(question)
    assert counted and found.entries[0].tokens > before
    record.set_token_counter(lambda text: 1 / 0)
    broken = record.retriever().retrieve(question)
    assert broken.entries[0].tokens == before and broken.gaps
    with pytest.raises(TypeError):
        record.set_token_counter(3)

    def leaves(text):
        raise SystemExit(3)

    record.set_token_counter(leaves)
    with pytest.raises(SystemExit):
        record.retriever().retrieve(question)
