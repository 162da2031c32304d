"""The TEMPLEX_* settings: what is allowed, and what is said about the rest."""

import dataclasses
from os.path import basename

import pytest
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from templex_scrapy import Addon
from templex_scrapy.crawl.settings import TemplexSettings, TemplexSettingsError


def read(**values):
    return TemplexSettings.from_crawler_settings(Settings({f"TEMPLEX_{k}": v for k, v in values.items()}))


def test_the_defaults_are_those_of_the_contract():
    settings = read(VOTES=None)
    assert settings == read(HTML_FIELD=None) == TemplexSettings()
    assert (settings.enabled, settings.html_field, settings.url_field) == (True, "html", "url")
    assert dict(settings.item_outputs) == {"html": "html"}
    assert dict(read(HTML_FIELD="body").item_outputs) == {"body": "html"}
    assert (settings.cs_size, settings.votes, settings.max_loads) == (3, 2, 60)
    assert (settings.store, settings.report, settings.preserve, settings.dry_run) == (None, None, (), False)


def test_settings_are_frozen():
    settings = read(OUTPUTS={"html": "html"})
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.votes = 3
    with pytest.raises(TypeError):
        settings.outputs["text"] = "text"


def test_values_may_be_strings_as_on_the_command_line():
    settings = read(
        ENABLED="0",
        DRY_RUN="true",
        CS_SIZE="4",
        OUTPUTS='{"html": "html", "body": "text"}',
        PRESERVE='["nav.toc", "#legal"]',
    )
    assert (settings.enabled, settings.dry_run, settings.cs_size) == (False, True, 4)
    assert dict(settings.item_outputs) == {"html": "html", "body": "text"}
    assert settings.preserve == ("nav.toc", "#legal")
    assert read(PRESERVE="nav.toc, #legal").preserve == ("nav.toc, #legal",)
    assert read(REMOVE='[".ad"]').remove == (".ad",)
    assert read(REMOVE="[role=banner], .ad").remove == ("[role=banner], .ad",)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("ENABLED", "perhaps", "True or False"),
        ("HTML_FIELD", 7, "a field name"),
        ("URL_FIELD", " ", "a field name"),
        ("OUTPUTS", {}, "a dict"),
        ("OUTPUTS", "html", "a dict (from item field to one of html, text, markdown"),
        ("OUTPUTS", '{"a":', "a dict (from item field"),
        ("OUTPUTS", {"a": "html", "b": "htm"}, "('b': 'htm' is no function"),
        ("OUTPUTS", {"html": "no.such.function"}, "No module named"),
        ("OUTPUTS", {"html": "os.sep"}, "'os.sep' is no function of CleanPage and none of html, text, markdown"),
        ("OUTPUTS", {"": "html"}, "a dict"),
        ("CS_SIZE", 1, "2 to 20"),
        ("CS_SIZE", "three", "2 to 20"),
        ("VOTES", 4, "1 to TEMPLEX_CS_SIZE, which is 3"),
        ("MAX_LOADS", 2, "TEMPLEX_CS_SIZE, which is 3, to 1000"),
        ("MEMORY", 10, "from 1000000"),
        ("STORE", "mysql://there", "redis://"),
        ("STORE", "", "mypkg.stores.MyStore://"),
        ("STORE", "no/such/folder/templates.db", "the folder 'no/such/folder' does not exist"),
        ("REPORT", "", "None, a path"),
        ("REPORT", "%(nme)s.html", "%(nme)s is not"),
        ("PRESERVE", [".ok", "..wrong"], "CSS selectors ('..wrong': "),
        ("PRESERVE", {"a": 1}, "CSS selectors"),
        ("REMOVE", ["..wrong"], "CSS selectors"),
    ],
)
def test_a_wrong_value_names_setting_value_and_what_is_allowed(name, value, allowed):
    with pytest.raises(TemplexSettingsError) as caught:
        read(**{name: value})
    message = str(caught.value)
    assert message.count("allowed: ") == 1
    assert f"TEMPLEX_{name}" in message
    assert allowed in message
    if not isinstance(value, (dict, list)):
        assert repr(value) in message


def test_an_unknown_setting_gets_a_suggestion():
    with pytest.raises(TemplexSettingsError, match="TEMPLEX_VOTE: did you mean TEMPLEX_VOTES"):
        read(VOTE=2)
    with pytest.raises(TemplexSettingsError, match="TEMPLEX_XYZZY: there are TEMPLEX_ENABLED, TEMPLEX_HTML_FIELD"):
        read(XYZZY=2)


def test_every_setting_is_documented_and_checked():
    for field in dataclasses.fields(TemplexSettings):
        assert field.metadata["doc"].endswith(".")
        with pytest.raises(TemplexSettingsError):
            read(**{field.name.upper(): object()})


@pytest.mark.parametrize("output", [basename, "os.path.basename"])
def test_an_output_may_be_a_function_or_its_path(output):
    assert read(OUTPUTS={"out": output}).item_outputs["out"] is basename


@pytest.mark.parametrize(("own", "items"), [({}, 16), ({"CONCURRENT_ITEMS": 50}, 50)])
def test_the_project_decides_how_many_items_are_in_the_pipelines(own, items):
    crawler = get_crawler(settings_dict={"ADDONS": {Addon: 500}, **own})
    crawler._apply_settings()
    assert crawler.settings.getint("CONCURRENT_ITEMS") == items
