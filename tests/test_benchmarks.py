"""The benchmarks' own ground: their notes and one floor."""

from benchmarks import corpus, floor_index
from benchmarks.measuring import Figure, Samples
from brain.note.document import parse
from brain.note.schema import problems


def test_a_corpus_is_the_beginning_of_a_larger_one_and_its_notes_are_sound(tmp_path):
    small, large = corpus.write(tmp_path / "small", 7), corpus.write(tmp_path / "large", 20)

    assert small.notes == large.notes[:7]
    assert len({note.path for note in large.notes}) == 20
    for note in large.notes:
        document = parse((large.folder / note.path).read_bytes())
        assert document.frontmatter["title"] == note.title
        assert not document.error
        assert not problems(document.frontmatter)


def test_a_folder_of_the_corpus_stays_small():
    folders = [corpus.path_of(number).rpartition("/")[0] for number in range(10_000)]

    assert max(folders.count(folder) for folder in set(folders)) <= corpus.PER_FOLDER


def test_the_floor_indexes_every_note(tmp_path):
    written = corpus.write(tmp_path / "notes", 12)

    assert floor_index.build(written.folder, tmp_path / "floor.db") == 12


def test_a_floor_whose_rounds_differ_by_over_30_percent_judges_nothing():
    unsteady, steady = Samples(((1.0, 1.0), (1.4, 1.4))), Samples(((1.0, 1.0), (1.2, 1.2)))

    assert not steady.void
    assert unsteady.void
    assert Figure("x", 1, "p50", "ms", 5.0, 1.0, limit=2.0, void=unsteady.void).met is None
    assert Figure("x", 1, "p50", "ms", 5.0, 1.0, limit=2.0, void=steady.void).met is False
