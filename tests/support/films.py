"""A small ontology of films, and sentences about real ones with what they state."""

from __future__ import annotations

FILMS = """
@prefix : <https://example.org/films#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Film a owl:Class ; rdfs:label "film"@en . :Person a owl:Class ; rdfs:label "person"@en .
:Country a owl:Class ; rdfs:label "country"@en .
:director a owl:ObjectProperty ; rdfs:domain :Film ; rdfs:range :Person ; rdfs:label "director"@en .
:country a owl:ObjectProperty ; rdfs:domain :Film ; rdfs:range :Country ; rdfs:label "country of origin"@en .
:year a owl:DatatypeProperty ; rdfs:domain :Film ; rdfs:range xsd:gYear ; rdfs:label "publication year"@en .
"""
COUNTRIES = {"American": "United States of America", "Italian": "Italy", "French": "France"}
KNOWN = [
    ("Alien", "Ridley Scott", "1979", "American"), ("Jaws", "Steven Spielberg", "1975", "American"),
    ("Vertigo", "Alfred Hitchcock", "1958", "American"), ("Fargo", "Joel Coen", "1996", "American"),
    ("Casablanca", "Michael Curtiz", "1942", "American"), ("Chinatown", "Roman Polanski", "1974", "American"),
    ("Network", "Sidney Lumet", "1976", "American"), ("Unforgiven", "Clint Eastwood", "1992", "American"),
    ("Blow Out", "Brian De Palma", "1981", "American"), ("Rocky", "John Avildsen", "1976", "American"),
    ("Suspiria", "Dario Argento", "1977", "Italian"), ("La Strada", "Federico Fellini", "1954", "Italian"),
    ("Umberto D", "Vittorio De Sica", "1952", "Italian"), ("La Notte", "Michelangelo Antonioni", "1961", "Italian"),
    ("Breathless", "Jean-Luc Godard", "1960", "French"), ("Playtime", "Jacques Tati", "1967", "French"),
    ("Mon Oncle", "Jacques Tati", "1958", "French"), ("Diva", "Jean-Jacques Beineix", "1981", "French"),
]  # fmt: skip
FORMS = (
    "{film} is a {year} {country} film directed by {director}.",
    "{film} was directed by {director} and released in {year}.",
    "Released in {year}, {film} is a {country} film by {director}.",
)


def annotated() -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for index, (film, director, year, country) in enumerate(KNOWN):
        form = FORMS[index % len(FORMS)]
        triples = [(film, "director", director), (film, "publication year", year)]
        triples += [(film, "country of origin", COUNTRIES[country])] if "{country}" in form else []
        found.append({
            "text": form.format(film=film, director=director, year=year, country=country),
            "triples": [{"subject": s, "predicate": p, "object": o} for s, p, o in triples],
        })  # fmt: skip
    return found
